// What this machine can do at best through WebAssembly: reading memory, and multiply-accumulates on
// registers. Built twice (plain SIMD128 and relaxed SIMD), by build-scripts/bench/ceilings.mjs.
#include <wasm_simd128.h>

#include <cstdint>

namespace {

constexpr int max_bytes = 100 << 20;
constexpr int n_chains = 8;  // independent accumulators: enough to hide the latency of one

alignas(64) std::uint8_t memory[max_bytes];
alignas(64) std::uint32_t seed[4 * n_chains];

v128_t seed_vector(int i) { return wasm_v128_load(seed + 4 * i); }

std::uint32_t sum_lanes(v128_t v) {
  return wasm_u32x4_extract_lane(v, 0) + wasm_u32x4_extract_lane(v, 1) +
         wasm_u32x4_extract_lane(v, 2) + wasm_u32x4_extract_lane(v, 3);
}

/// n rounds of one dot for each chain. Two changing and four fixed operands: no product can be
/// reused, and no chain waits for another. Returns a sum, so that nothing is left out.
template <class Step>
std::uint32_t run_chains(int n, Step step) {
  v128_t b0 = seed_vector(0), b1 = seed_vector(1);
  const v128_t c0 = seed_vector(2), c1 = seed_vector(3), c2 = seed_vector(4), c3 = seed_vector(5);
  v128_t a0 = b0, a1 = b0, a2 = b0, a3 = b0, a4 = b0, a5 = b0, a6 = b0, a7 = b0;
  for (int i = 0; i < n; ++i) {
    a0 = step(a0, b0, c0);
    a1 = step(a1, b0, c1);
    a2 = step(a2, b0, c2);
    a3 = step(a3, b0, c3);
    a4 = step(a4, b1, c0);
    a5 = step(a5, b1, c1);
    a6 = step(a6, b1, c2);
    a7 = step(a7, b1, c3);
    b0 = wasm_i32x4_add(b0, c0);
    b1 = wasm_i32x4_add(b1, c1);
  }
  const v128_t low = wasm_i32x4_add(wasm_i32x4_add(a0, a1), wasm_i32x4_add(a2, a3));
  const v128_t high = wasm_i32x4_add(wasm_i32x4_add(a4, a5), wasm_i32x4_add(a6, a7));
  return sum_lanes(wasm_i32x4_add(low, high));
}

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

/// Writes every byte, so that each page is really there; gives the dots their operands.
EXPORT(prepare) void prepare() {
  std::uint32_t x = 2463534242u;
  const auto next = [&x] {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
  };
  for (std::uint32_t& word : seed) word = next() & 0x3f3f3f3f;  // 0 … 63: valid 7-bit operands
  for (int i = 0; i < max_bytes; i += 4) __builtin_memcpy(memory + i, &(x = next()), 4);
}

/// Reads the first `bytes` (at most 100 MiB, a multiple of 512) at n_places by turns.
template <int n_places>
std::uint32_t sum_places(int bytes) {
  v128_t sums[n_chains] = {};
  const int part = bytes / n_places;
  for (const std::uint8_t *p = memory, *end = memory + part; p < end; p += 16 * n_chains) {
    for (int place = 0; place < n_places; ++place) {
      for (int i = 0; i < n_chains; ++i) {
        sums[i] = wasm_i32x4_add(sums[i], wasm_v128_load(p + place * part + 16 * i));
      }
    }
  }
  v128_t sum = sums[0];
  for (int i = 1; i < n_chains; ++i) sum = wasm_i32x4_add(sum, sums[i]);
  return sum_lanes(sum);
}

EXPORT(sum_memory) std::uint32_t sum_memory(int bytes) { return sum_places<1>(bytes); }
/// On some machines a core reads faster so.
EXPORT(sum_four_places) std::uint32_t sum_four_places(int bytes) { return sum_places<4>(bytes); }

/// 8 chains x 8 multiply-accumulates a round.
EXPORT(dot_i16) std::uint32_t dot_i16(int n) {
  return run_chains(n, [](v128_t a, v128_t b, v128_t c) {
    return wasm_i32x4_add(a, wasm_i32x4_dot_i16x8(b, c));
  });
}

#ifdef __wasm_relaxed_simd__
/// 8 chains x 16: the i16 sums are kept as i16, as the 4-bit kernels do.
EXPORT(relaxed_dot_i16) std::uint32_t relaxed_dot_i16(int n) {
  return run_chains(n, [](v128_t a, v128_t b, v128_t c) {
    return wasm_i16x8_add(a, wasm_i16x8_relaxed_dot_i8x16_i7x16(b, c));
  });
}

/// 8 chains x 16: the form for processors that have it as one instruction.
EXPORT(relaxed_dot_i32) std::uint32_t relaxed_dot_i32(int n) {
  return run_chains(n, [](v128_t a, v128_t b, v128_t c) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b, c, a);
  });
}
#endif
