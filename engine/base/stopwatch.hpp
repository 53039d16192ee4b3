#pragma once

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#else
#include <chrono>
#endif

namespace kvscope {

/// Milliseconds of a clock that never goes back. <chrono>'s would be the same in the module, with 1
/// KB of error handling.
inline double now_ms() {
#ifdef __EMSCRIPTEN__
  return emscripten_get_now();
#else
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
#endif
}

/// Milliseconds since it was made.
class Stopwatch {
 public:
  double ms() const { return now_ms() - start_; }

 private:
  double start_ = now_ms();
};

}  // namespace kvscope
