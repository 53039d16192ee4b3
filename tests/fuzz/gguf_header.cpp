// libFuzzer on the reader of GGUF headers: any bytes, whole and in pieces.
//   cmake -S . -B build/fuzz -G Ninja -DKVSCOPE_FUZZ=ON -DKVSCOPE_TESTS=OFF
//   -DCMAKE_CXX_COMPILER=clang++ ninja -C build/fuzz && build/fuzz/fuzz_gguf_header
//   -max_total_time=300 build/fuzz/corpus
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "../engine/support/gguf_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string fault = kvscope::testing::fuzz_header(std::as_bytes(std::span(data, size)));
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}
