#pragma once

#include <cstdint>
#include <span>

namespace kvscope {

/// out_i = x_i / sqrt(mean(x^2) + eps) * weight_i   (RMSNorm, Zhang & Sennrich 2019). out may be x.
void rms_norm(const float* x, const float* weight, int n, float eps, float* out);

/// cos and sin of position * theta_i for i < n_rot / 2, theta_i = base^(-2i / n_rot) / factor_i
/// (RoPE, Su et al. 2021; factors as llama.cpp's rope_freqs.weight, empty = 1). Interleaved
/// (cos, sin), n_rot floats.
void rope_table(float position, int n_rot, float base, std::span<const float> factors,
                float* table);

/// Which two components turn together: `adjacent` (2i, 2i+1) in GGUF files of the llama family,
/// `halves` (i, i + n_rot/2) in those of qwen2, gemma, phi.
enum class RopePairs : std::uint8_t { adjacent, halves };

/// Turns the first n_rot components of each of n_heads vectors of head_dim, in place.
void rope(float* x, int n_heads, int head_dim, int n_rot, RopePairs pairs, const float* table);

/// In place; returns nothing. Subtracts the maximum first. n >= 1.
void softmax(float* x, int n);

/// The largest value; a NaN never is. n >= 1.
float max_of(const float* x, int n);

/// sum of e^(x_i - offset), offset being the largest value: softmax's denominator, without writing.
float sum_exp(const float* x, int n, float offset);

/// out_i = silu(gate_i) * up_i   (SwiGLU, Shazeer 2020). out may be gate.
void swiglu(const float* gate, const float* up, int n, float* out);

/// x_i += y_i
void add(float* x, const float* y, int n);

/// Index of the largest value, the lowest index among equals. n >= 1.
int argmax(const float* x, int n);

/// The oracles: the formulas above as plain loops in double.
namespace scalar {
void rms_norm(const float* x, const float* weight, int n, float eps, float* out);
void rope(float* x, int n_heads, int head_dim, int n_rot, RopePairs pairs, const float* table);
void softmax(float* x, int n);
void swiglu(const float* gate, const float* up, int n, float* out);
}  // namespace scalar

}  // namespace kvscope
