#include "kernels/memory_streams.hpp"

#include <algorithm>
#include <cstdint>

#include "base/stopwatch.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

constexpr std::size_t least_bytes = 16 << 20, most_bytes = 32 << 20;
constexpr std::size_t line_bytes = 64;
constexpr double clearly = 1.2;  // faster

bool faster_in_streams = false;

/// Milliseconds for a byte of each line, at `streams` places by turns.
double time_reading(std::span<const std::byte> bytes, int streams) {
  const Stopwatch watch;
  const std::size_t part = bytes.size() / static_cast<std::size_t>(streams);
  for (std::size_t i = 0; i < part; i += line_bytes) {
    const auto* place = reinterpret_cast<const volatile char*>(bytes.data() + i);
    for (int s = 0; s < streams; ++s, place += part) static_cast<void>(*place);
  }
  return watch.ms();
}

}  // namespace

bool streams_are_faster() { return faster_in_streams; }

void time_memory_streams(std::span<const std::byte> weights) {
  if (!has_dot8 || weights.size() < least_bytes) return;
  const std::size_t part = std::min(weights.size(), most_bytes) / 4;
  double one = 0, several = 0;
  for (std::size_t i = 0; i < 4; i += 2) {
    one += time_reading(weights.subspan(i * part, part), 1);
    several += time_reading(weights.subspan((i + 1) * part, part), memory_streams);
  }
  faster_in_streams = one > clearly * several;
}

}  // namespace kvscope
