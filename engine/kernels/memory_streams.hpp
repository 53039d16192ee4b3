#pragma once

#include <cstddef>
#include <span>

namespace kvscope {

/// Places of a large matrix that GEMV reads by turns, where that is faster. A core that waits long
/// for memory has too few lines on their way when it reads one place after the other: a Xeon here
/// reads 8.5 GB/s so, and 15 GB/s at four places. Others (EPYC) read one place as fast as any.
inline constexpr int memory_streams = 4;

/// What time_memory_streams() found out last; false before.
bool streams_are_faster();

/// Reads parts of `weights` in either way, against the clock (5 ms). Of fewer bytes than the
/// processor's caches may hold nothing is learnt, and nothing in a build of plain SIMD, whose dots
/// take longer than memory.
void time_memory_streams(std::span<const std::byte> weights);

}  // namespace kvscope
