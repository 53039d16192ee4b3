#pragma once

#include <cstddef>

#include "gguf/tensor_type.hpp"

namespace kvscope {

/// Expands n values (a multiple of the type's block) stored as in a GGUF file. This is the readable
/// definition of each block format (ggml's block_q4_0 … block_q6_K) and the oracle for all packing.
void dequantise(gguf::TensorType type, const std::byte* blocks, std::size_t n, float* out);

}  // namespace kvscope
