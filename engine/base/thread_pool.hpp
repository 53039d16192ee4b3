#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace kvscope {

#ifdef KVSCOPE_THREADS
inline constexpr bool built_with_threads = true;
#else
inline constexpr bool built_with_threads = false;
#endif

/// Fork-join over a fixed set of threads, made for thousands of very short jobs a second: workers
/// spin for the next job before they sleep, because waking one costs more than most jobs here
/// (about 20 us against 0.1 us for a spin, measured with two workers in Chromium).
class ThreadPool {
 public:
  /// n_threads counts the caller; 1 starts no thread at all.
  explicit ThreadPool(int n_threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return n_threads_; }

  /// While false, run() and split() use the calling thread alone.
  void set_parallel(bool parallel) { parallel_ = parallel; }

  /// How many threads run() would use now. A build without threads drops the code for several.
  int active() const { return built_with_threads && parallel_ ? n_threads_ : 1; }

  /// Whether the threads really run side by side now: times a fixed piece of work on all of them
  /// and on the caller alone, about 0.1 ms a thread each. With another process on one of the cores
  /// two spinning threads are several times slower than one.
  bool threads_pay();

  /// Calls f(thread, n_threads) once on each thread, the caller being thread 0, and returns when
  /// all have returned.
  template <class F>
  void run(F&& f) {
    if (active() == 1) {
      f(0, 1);
      return;
    }
    dispatch([](void* context, int thread, int n) { (*static_cast<F*>(context))(thread, n); },
             const_cast<void*>(static_cast<const void*>(&f)));
  }

  /// Splits [0, n) into one contiguous range a thread, in multiples of `grain`; calls
  /// f(begin, end, thread) for each that is not empty. One grain wakes nobody.
  template <class F>
  void split(int n, int grain, F&& f) {
    if (n <= grain) {
      if (n > 0) f(0, n, 0);
      return;
    }
    run([&](int thread, int n_threads) {
      const auto [begin, end] = range_of(n, grain, thread, n_threads);
      if (begin < end) f(begin, end, thread);
    });
  }

  static std::pair<int, int> range_of(int n, int grain, int thread, int n_threads) {
    const std::int64_t chunks = (n + grain - 1) / grain;
    const int begin = static_cast<int>(chunks * thread / n_threads) * grain;
    const int end = static_cast<int>(chunks * (thread + 1) / n_threads) * grain;
    return {begin, end < n ? end : n};
  }

 private:
  using Job = void (*)(void* context, int thread, int n_threads);

  void dispatch(Job job, void* context);
  void worker(int thread);

  int n_threads_;
  bool parallel_ = true;
  Job job_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<int> generation_{0};
  alignas(64) std::atomic<int> remaining_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace kvscope
