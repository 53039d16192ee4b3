#include "base/thread_pool.hpp"

#include "base/stopwatch.hpp"

namespace kvscope {

namespace {

// About 100 us of polling: longer than the gap between two operators of one token, shorter than a
// person notices on a battery.
constexpr int spins_before_sleep = 100'000;

#if defined(__wasm_atomics__)
// libc++ has no futex for WebAssembly: its wait() polls, with sleeps of up to 8 ms between.
void sleep_while(const std::atomic<int>& value, int old) {
  __builtin_wasm_memory_atomic_wait32(const_cast<int*>(reinterpret_cast<const int*>(&value)), old,
                                      /*timeout_ns=*/-1);
}
void wake(std::atomic<int>& value) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&value), ~0u);
}
#else
void sleep_while(const std::atomic<int>& value, int old) { value.wait(old); }
void wake(std::atomic<int>& value) { value.notify_all(); }
#endif

/// Spins first; sleeps when the other thread seems to have lost its core to another process, which
/// gives it this one. Returns the milliseconds slept.
double wait_for_change(const std::atomic<int>& value, int old) {
  for (int i = 0; i < spins_before_sleep; ++i) {
    if (value.load(std::memory_order_acquire) != old) return 0;
  }
  const Stopwatch asleep;
  while (value.load(std::memory_order_acquire) == old) sleep_while(value, old);
  return asleep.ms();
}

}  // namespace

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(built_with_threads && n_threads > 1 ? n_threads : 1) {
  if constexpr (!built_with_threads) return;
  taken_ = std::make_unique<Taken[]>(static_cast<std::size_t>(n_threads_));
  for (int t = 1; t < n_threads_; ++t) threads_.emplace_back([this, t] { worker(t); });
}

ThreadPool::~ThreadPool() {
  if constexpr (!built_with_threads) return;
  stopping_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1);
  wake(generation_);
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::dispatch(Job job, void* context) {
  job_ = job;
  context_ = context;
  remaining_.store(n_threads_ - 1, std::memory_order_relaxed);
  generation_.fetch_add(1);
  wake(generation_);
  job(context, 0, n_threads_);
  for (int left; (left = remaining_.load(std::memory_order_acquire)) != 0;) {
    stalled_ms_ += wait_for_change(remaining_, left);
  }
}

void ThreadPool::worker(int thread) {
  for (int seen = 0;;) {
    wait_for_change(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_relaxed)) return;
    job_(context_, thread, n_threads_);
    remaining_.fetch_sub(1);
    wake(remaining_);
  }
}

}  // namespace kvscope
