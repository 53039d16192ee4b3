#include "gguf/tensor_type.hpp"

#include <array>

namespace kvscope::gguf {

namespace {

constexpr std::array<TypeTraits, 11> read_types{{
    {TensorType::F32, "F32", 1, 4},
    {TensorType::F16, "F16", 1, 2},
    {TensorType::Q4_0, "Q4_0", 32, 18},
    {TensorType::Q4_1, "Q4_1", 32, 20},
    {TensorType::Q5_0, "Q5_0", 32, 22},
    {TensorType::Q5_1, "Q5_1", 32, 24},
    {TensorType::Q8_0, "Q8_0", 32, 34},
    {TensorType::Q4_K, "Q4_K", 256, 144},
    {TensorType::Q5_K, "Q5_K", 256, 176},
    {TensorType::Q6_K, "Q6_K", 256, 210},
    {TensorType::BF16, "BF16", 1, 2},
}};

// Every id that GGUF has given out (ggml_type); empty where it was withdrawn.
constexpr std::array<std::string_view, 42> all_names{
    "F32",     "F16",   "Q4_0",   "Q4_1",  "",      "",       "Q5_0", "Q5_1",    "Q8_0",
    "Q8_1",    "Q2_K",  "Q3_K",   "Q4_K",  "Q5_K",  "Q6_K",   "Q8_K", "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",   "I16",     "I32",
    "I64",     "F64",   "IQ1_M",  "BF16",  "",      "",       "",     "TQ1_0",   "TQ2_0",
    "",        "",      "",       "MXFP4", "NVFP4", "Q1_0"};

}  // namespace

std::optional<TypeTraits> find_type(std::uint32_t id) {
  for (const TypeTraits& traits : read_types) {
    if (static_cast<std::uint32_t>(traits.type) == id) return traits;
  }
  return std::nullopt;
}

TypeTraits traits_of(TensorType type) { return *find_type(static_cast<std::uint32_t>(type)); }

std::string_view type_name(std::uint32_t id) {
  return id < all_names.size() ? all_names[id] : std::string_view();
}

std::string readable_type_names() {
  std::string out;
  for (const TypeTraits& traits : read_types) {
    if (!out.empty()) out += ", ";
    out += traits.name;
  }
  return out;
}

}  // namespace kvscope::gguf
