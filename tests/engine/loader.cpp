#include "model/loader.hpp"

#include <doctest/doctest.h>

#include "support/tiny_llama.hpp"

namespace kvscope::testing {

namespace {

std::vector<float> row_of(const PackedMatrix& w, int row) {
  std::vector<float> out(static_cast<std::size_t>(w.cols()));
  w.unpack_row(row, out.data());
  return out;
}

ErrorCode code_of(const Result<std::unique_ptr<Model>>& result) {
  REQUIRE_FALSE(result.ok());
  INFO(result.error().message);
  CHECK(result.error().message.size() > 20);
  return result.error().code;
}

/// The writer's file with one key changed: the writer appends, so the first of two equal keys would
/// be refused as a duplicate; tests that change a key build their own file.
GgufWriter header_only(const char* architecture) {
  GgufWriter w;
  w.string("general.architecture", architecture);
  return w;
}

}  // namespace

TEST_CASE("a model is the same whatever the size of the pieces it arrives in") {
  const std::vector<std::byte> file = tiny_llama_writer({.type = gguf::TensorType::Q4_0}).file();
  const auto whole = load(file, Precision::high, file.size());
  REQUIRE(whole.ok());
  for (const std::size_t chunk : {1u, 7u, 333u, 65536u}) {
    const auto pieces = load(file, Precision::high, chunk);
    REQUIRE(pieces.ok());
    for (std::size_t i = 0; i < (*whole)->layers.size(); ++i) {
      CHECK(row_of((*whole)->layers[i].w_down, 33) == row_of((*pieces)->layers[i].w_down, 33));
    }
    CHECK(row_of((*whole)->token_embd, 270) == row_of((*pieces)->token_embd, 270));
  }
}

TEST_CASE("the card tells parameters, bytes and the type of most weights") {
  const std::vector<std::byte> file = tiny_llama_writer({.type = gguf::TensorType::Q8_0}).file();
  const auto model = load(file);
  REQUIRE(model.ok());
  const ModelCard& card = (*model)->card;
  CHECK(card.name == "tiny");
  CHECK(card.quantization == "Q8_0");
  CHECK(card.file_bytes == static_cast<std::int64_t>(file.size()));
  const int per_layer = 2 * 64 + 64 * 64 * 2 + 2 * 64 * 32 + 3 * 64 * 96;
  CHECK(card.n_parameters == 271 * 64 + 64 + 2 * per_layer);
}

TEST_CASE("a file cut anywhere is refused as truncated") {
  const std::vector<std::byte> file = tiny_llama_writer({}).file();
  for (const double share : {0.02, 0.5, 0.999}) {
    const auto n = static_cast<std::size_t>(static_cast<double>(file.size()) * share);
    CHECK(code_of(load(std::span(file).first(n))) == ErrorCode::truncated);
  }
  CHECK(code_of(load(std::span(file).first(file.size() - 1))) == ErrorCode::truncated);
}

TEST_CASE("an empty file is no GGUF file") { CHECK(code_of(load({})) == ErrorCode::not_gguf); }

TEST_CASE("bytes after the last tensor are ignored") {
  std::vector<std::byte> file = tiny_llama_writer({}).file();
  file.resize(file.size() + 1000);
  CHECK(load(file).ok());
}

TEST_CASE("an architecture that we do not run is named") {
  const auto result = load(header_only("mamba").file());
  CHECK(code_of(result) == ErrorCode::unsupported_architecture);
  CHECK(result.error().message.find("mamba") != std::string::npos);
}

TEST_CASE("a missing hyperparameter is named") {
  const auto result = load(header_only("llama").file());
  CHECK(code_of(result) == ErrorCode::missing_key);
  CHECK(result.error().message.find("llama.block_count") != std::string::npos);
}

TEST_CASE("a tensor that the forward pass would leave out is refused") {
  GgufWriter w = tiny_llama_writer({});
  const std::vector<float> bias(64);
  w.tensor("blk.0.attn_q.bias", {64}, bias);
  const auto result = load(w.file());
  CHECK(code_of(result) == ErrorCode::unsupported_architecture);
  CHECK(result.error().message.find("blk.0.attn_q.bias") != std::string::npos);
}

TEST_CASE("an absent weight is named") {
  const auto result = load(tiny_llama_writer({.leave_out = "blk.1.ffn_up.weight"}).file());
  CHECK(code_of(result) == ErrorCode::missing_tensor);
  CHECK(result.error().message.find("blk.1.ffn_up.weight") != std::string::npos);
}

TEST_CASE("a tensor whose shape contradicts the settings is named") {
  GgufWriter w = tiny_llama_writer({});
  const std::vector<float> values(7 * 64);
  w.tensor("output.weight", {64, 7}, values);
  const auto result = load(w.file());
  CHECK(code_of(result) == ErrorCode::bad_shape);
  CHECK(result.error().message.find("output.weight") != std::string::npos);
}

TEST_CASE("an output matrix of its own is used where the file has one") {
  const auto tied = load(tiny_llama_writer({.tied = true}).file());
  const auto untied = load(tiny_llama_writer({.tied = false}).file());
  REQUIRE(tied.ok());
  REQUIRE(untied.ok());
  CHECK(&(*tied)->lm_head() == &(*tied)->token_embd);
  CHECK(&(*untied)->lm_head() != &(*untied)->token_embd);
}

}  // namespace kvscope::testing
