#include "tokenizer/tokenizer.hpp"

#include <algorithm>
#include <variant>

#include "base/format.hpp"
#include "gguf/quoted.hpp"
#include "tokenizer/byte_bpe.hpp"
#include "tokenizer/end_of_generation.hpp"
#include "tokenizer/special_tokens.hpp"
#include "tokenizer/spm.hpp"
#include "tokenizer/vocabulary.hpp"

namespace kvscope {

namespace {

struct Ids {
  TokenId bos = no_token, eos = no_token, unknown = no_token;
};

}  // namespace

struct Tokenizer::Impl {
  Vocabulary vocabulary;
  std::variant<Spm, ByteBpe> model;
  SpecialTokens special;
  std::vector<TokenId> end_of_generation;
  Ids ids;
  bool adds_bos = false, adds_eos = false, adds_space_prefix = false;
  std::string chat_template;

  Status load_spm(const gguf::Metadata& metadata);
  Status load_bpe(const gguf::Metadata& metadata);
  Status load_ids(const gguf::Metadata& metadata, const Ids& defaults);
  void encode_text(std::string_view text, std::vector<TokenId>& out) const;
};

namespace {

constexpr char model_key[] = "tokenizer.ggml.model";
constexpr char pre_key[] = "tokenizer.ggml.pre";

Result<PreTokenizerInfo> read_pretokenizer(const gguf::Metadata& metadata) {
  const std::optional<std::string_view> name = metadata.string(pre_key);
  if (name) {
    if (const auto info = find_pretokenizer(*name)) return *info;
  }
  return Error{ErrorCode::unsupported_tokenizer,
               concat(pre_key, " is ", name ? gguf::quoted(*name) : "missing",
                      "; supported are smollm, gpt-2, llama-bpe, qwen2 and names for the same "
                      "rules. Convert the model again, or choose another one")};
}

/// A user-defined token with U+2581 in its text stands for spaces, which are no U+2581 yet when
/// user-defined tokens are cut out: it takes part in the merges as a normal one.
void free_marked_spaces(Vocabulary& vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.type(id) == TokenType::user_defined &&
        vocabulary.text(id).find("\xE2\x96\x81") != std::string_view::npos) {
      vocabulary.set_type(id, TokenType::normal);
    }
  }
}

}  // namespace

Status Tokenizer::Impl::load_ids(const gguf::Metadata& metadata, const Ids& defaults) {
  struct Field {
    const char* key;
    TokenId Ids::* id;
  };
  constexpr Field fields[] = {{"tokenizer.ggml.bos_token_id", &Ids::bos},
                              {"tokenizer.ggml.eos_token_id", &Ids::eos},
                              {"tokenizer.ggml.unknown_token_id", &Ids::unknown}};
  for (const Field& field : fields) {
    Result<TokenId> id = vocabulary.id_of_key(metadata, field.key);
    if (!id) return id.error();
    const TokenId fallback = defaults.*field.id;
    ids.*field.id = metadata.contains(field.key) || fallback >= vocabulary.size() ? *id : fallback;
  }
  return {};
}

Status Tokenizer::Impl::load_spm(const gguf::Metadata& metadata) {
  Result<Vocabulary> read = Vocabulary::create(metadata, true);
  if (!read) return read.error();
  vocabulary = std::move(read).value();
  // SentencePiece's own defaults: <unk> 0, <s> 1, </s> 2.
  constexpr Ids defaults{.bos = 1, .eos = 2, .unknown = 0};
  if (Status status = load_ids(metadata, defaults); !status) return status;
  free_marked_spaces(vocabulary);
  model = Spm(vocabulary, ids.unknown);
  adds_bos = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(true);
  adds_space_prefix = metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(true);
  return {};
}

Status Tokenizer::Impl::load_bpe(const gguf::Metadata& metadata) {
  Result<PreTokenizerInfo> pretokenizer = read_pretokenizer(metadata);
  if (!pretokenizer) return pretokenizer.error();
  Result<Vocabulary> read = Vocabulary::create(metadata, false);
  if (!read) return read.error();
  vocabulary = std::move(read).value();
  if (Status status = load_ids(metadata, {}); !status) return status;
  Result<ByteBpe> bpe = ByteBpe::create(metadata, vocabulary, *pretokenizer);
  if (!bpe) return bpe.error();
  model = std::move(bpe).value();
  adds_bos = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(pretokenizer->adds_bos);
  return {};
}

Result<Tokenizer> Tokenizer::create(const gguf::Metadata& metadata) {
  const std::optional<std::string_view> kind = metadata.string(model_key);
  if (!kind) {
    return Error{ErrorCode::missing_key,
                 concat(model_key, " is missing: the file says nothing about its tokenizer")};
  }
  auto impl = std::make_unique<Impl>();
  Status status;
  if (*kind == "llama") {
    status = impl->load_spm(metadata);
  } else if (*kind == "gpt2") {
    status = impl->load_bpe(metadata);
  } else {
    status = Error{ErrorCode::unsupported_tokenizer,
                   concat(model_key, " is ", gguf::quoted(*kind),
                          "; supported are gpt2 (byte-level BPE) and llama (SentencePiece BPE)")};
  }
  if (!status) return status.error();

  auto ends = end_of_generation_tokens(metadata, impl->ids.eos, impl->vocabulary);
  if (!ends) return ends.error();
  impl->end_of_generation = std::move(ends).value();
  impl->special = SpecialTokens(impl->vocabulary);
  impl->adds_eos = metadata.boolean("tokenizer.ggml.add_eos_token").value_or(false);
  impl->chat_template = metadata.string("tokenizer.chat_template").value_or("");
  return Tokenizer(std::move(impl));
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

/// Text between special tokens, or between one and an end: each such stretch gets the space prefix.
void Tokenizer::Impl::encode_text(std::string_view text, std::vector<TokenId>& out) const {
  if (const ByteBpe* bpe = std::get_if<ByteBpe>(&model)) return bpe->encode(text, vocabulary, out);
  const Spm& spm = *std::get_if<Spm>(&model);
  if (adds_space_prefix) {
    spm.encode(concat(" ", text), vocabulary, out);
  } else {
    spm.encode(text, vocabulary, out);
  }
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<TokenId> ids;
  const bool automatic = options.bos == BosMode::automatic;
  const bool wants_bos = automatic ? impl_->adds_bos : options.bos == BosMode::always;
  if (wants_bos && impl_->ids.bos >= 0) ids.push_back(impl_->ids.bos);

  for (std::size_t at = 0; at < text.size();) {
    const SpecialTokens::Match match =
        impl_->special.next(text, at, options.parse_special, impl_->vocabulary);
    if (match.begin > at) impl_->encode_text(text.substr(at, match.begin - at), ids);
    if (match.id >= 0) ids.push_back(match.id);
    at = match.begin + match.n_bytes;
  }
  if (automatic && impl_->adds_eos && impl_->ids.eos >= 0) ids.push_back(impl_->ids.eos);
  return ids;
}

std::string Tokenizer::piece(TokenId id, bool with_special) const {
  const std::string_view text = impl_->vocabulary.text(id);
  switch (impl_->vocabulary.type(id)) {
    case TokenType::control:
    case TokenType::unknown: return with_special ? std::string(text) : std::string();
    case TokenType::unused: return {};
    case TokenType::user_defined: return std::string(text);
    case TokenType::byte: return std::string(1, static_cast<char>(*byte_of_text(text)));
    case TokenType::undefined:
    case TokenType::normal: break;
  }
  return std::holds_alternative<Spm>(impl_->model) ? Spm::bytes_of(text) : ByteBpe::bytes_of(text);
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids, bool with_special) const {
  std::string out;
  bool at_start = impl_->adds_space_prefix;
  for (const TokenId id : ids) {
    const std::string bytes = piece(id, with_special);
    const bool strip = at_start && !is_control(id) && bytes.starts_with(' ');
    out += std::string_view(bytes).substr(strip ? 1 : 0);
    at_start = at_start && is_control(id);
  }
  return out;
}

int Tokenizer::vocab_size() const { return impl_->vocabulary.size(); }
TokenId Tokenizer::bos() const { return impl_->ids.bos; }
TokenId Tokenizer::eos() const { return impl_->ids.eos; }
bool Tokenizer::is_control(TokenId id) const {
  return impl_->vocabulary.type(id) == TokenType::control;
}
bool Tokenizer::is_end_of_generation(TokenId id) const {
  const std::vector<TokenId>& ends = impl_->end_of_generation;
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}
bool Tokenizer::adds_space_prefix() const { return impl_->adds_space_prefix; }
std::string_view Tokenizer::chat_template() const { return impl_->chat_template; }

}  // namespace kvscope
