#include "tokenizer/end_of_generation.hpp"

namespace kvscope {
namespace {

/// From llama-vocab of llama.cpp, the texts that models of the supported pre-tokenizers use.
constexpr std::string_view texts[] = {
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>",         "<|eom_id|>",    "<end_of_turn>",
    "<|end|>",    "</s>",          "<|end_of_text|>",    "<EOT>",         "_<EOT>",
    "[EOT]",      "[EOS]",         "<end_of_utterance>", "<eos>",         "<|fim_pad|>",
    "<fim_pad>",  "<fim-pad>",     "<|fim_repo|>",       "<|repo_name|>", "<reponame>",
    "<fim-repo>", "<|file_sep|>",
};

/// Some vocabularies have "</s>" as a piece of HTML, user-defined.
bool ends_generation(const Vocabulary& vocabulary, TokenId id) {
  const TokenType type = vocabulary.type(id);
  return type == TokenType::control ||
         (type == TokenType::user_defined && vocabulary.text(id) != "</s>");
}

}  // namespace

Result<std::vector<TokenId>> end_of_generation_tokens(const gguf::Metadata& metadata, TokenId eos,
                                                      Vocabulary& vocabulary) {
  std::vector<TokenId> ids;
  if (eos >= 0) ids.push_back(eos);
  for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    Result<TokenId> id = vocabulary.id_of_key(metadata, key);
    if (!id) return id.error();
    if (*id >= 0) ids.push_back(*id);
  }
  for (const std::string_view text : texts) {
    const TokenId id = vocabulary.find(text);
    if (id < 0 || !ends_generation(vocabulary, id)) continue;
    vocabulary.set_type(id, TokenType::control);
    ids.push_back(id);
  }
  return ids;
}

}  // namespace kvscope
