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

  /// While false, run() and deal() use the calling thread alone.
  void set_parallel(bool parallel) { parallel_ = parallel; }

  /// How many threads run() would use now. A build without threads drops the code for several.
  int active() const { return built_with_threads && parallel_ ? n_threads_ : 1; }

  /// Milliseconds that the caller has slept until now because another thread was late: its core
  /// was taken. Shorter waits, which it spins through, are not counted.
  double stalled_ms() const { return stalled_ms_; }

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

  /// Calls f(i, thread) for each i in [0, n): each thread goes through a part of its own, piece by
  /// piece, and then helps with the others' parts, so that one that loses its core for a while
  /// holds up a single piece.
  template <class F>
  void deal(int n, F&& f) {
    if (n <= 1 || active() == 1) {
      for (int i = 0; i < n; ++i) f(i, 0);
      return;
    }
    for (int t = 0; t < n_threads_; ++t) taken_[t].n.store(0, std::memory_order_relaxed);
    run([&](int thread, int n_threads) {
      for (int k = 0; k < n_threads; ++k) {
        const int part = (thread + k) % n_threads;
        const auto [begin, end] = range_of(n, 1, part, n_threads);
        std::atomic<int>& taken = taken_[part].n;
        for (int i; (i = begin + taken.fetch_add(1, std::memory_order_relaxed)) < end;) {
          f(i, thread);
        }
      }
    });
  }

  /// One of n_threads contiguous parts of [0, n), in multiples of `grain`.
  static std::pair<int, int> range_of(int n, int grain, int thread, int n_threads) {
    const std::int64_t chunks = (n + grain - 1) / grain;
    const int begin = static_cast<int>(chunks * thread / n_threads) * grain;
    const int end = static_cast<int>(chunks * (thread + 1) / n_threads) * grain;
    return {begin, end < n ? end : n};
  }

 private:
  using Job = void (*)(void* context, int thread, int n_threads);
  struct alignas(64) Taken {  // a line of the cache each
    std::atomic<int> n{0};
  };

  void dispatch(Job job, void* context);
  void worker(int thread);

  int n_threads_;
  bool parallel_ = true;
  double stalled_ms_ = 0;
  Job job_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<int> generation_{0};
  alignas(64) std::atomic<int> remaining_{0};
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Taken[]> taken_;  // of each thread's part in deal()
  std::vector<std::thread> threads_;
};

}  // namespace kvscope
