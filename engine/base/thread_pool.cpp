#include "base/thread_pool.hpp"

#include <chrono>

namespace kvscope {

namespace {

// About 100 us of polling: longer than the gap between two operators of one token, shorter than a
// person notices on a battery.
constexpr int spins_before_sleep = 100'000;

/// Spins first; sleeps when the other thread seems to have lost its core to another process.
void wait_for_change(const std::atomic<int>& value, int old) {
  for (int i = 0; i < spins_before_sleep; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

// Two threads at less than this share of one thread's time are worth their spinning.
constexpr double worthwhile_share = 0.75;
constexpr int probe_steps = 1 << 16;  // dependent integer steps, about 0.1 ms

void probe_work() {
  volatile std::uint32_t result = 1;
  std::uint32_t x = result;
  for (int i = 0; i < probe_steps; ++i) x = (x ^ static_cast<std::uint32_t>(i)) * 2654435761u;
  result = x;
}

template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(built_with_threads && n_threads > 1 ? n_threads : 1) {
  if constexpr (!built_with_threads) return;
  for (int t = 1; t < n_threads_; ++t) threads_.emplace_back([this, t] { worker(t); });
}

ThreadPool::~ThreadPool() {
  if constexpr (!built_with_threads) return;
  stopping_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::threads_pay() {
  if (n_threads_ == 1) return false;
  const bool was_parallel = std::exchange(parallel_, true);
  run([](int, int) {});  // wakes workers that sleep
  const double together = seconds_of([this] { run([](int, int) { probe_work(); }); });
  const double alone = seconds_of([this] {
    for (int t = 0; t < n_threads_; ++t) probe_work();
  });
  parallel_ = was_parallel;
  return together < worthwhile_share * alone;
}

void ThreadPool::dispatch(Job job, void* context) {
  job_ = job;
  context_ = context;
  remaining_.store(n_threads_ - 1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  job(context, 0, n_threads_);
  for (int left; (left = remaining_.load(std::memory_order_acquire)) != 0;) {
    wait_for_change(remaining_, left);
  }
}

void ThreadPool::worker(int thread) {
  for (int seen = 0;;) {
    wait_for_change(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_relaxed)) return;
    job_(context_, thread, n_threads_);
    remaining_.fetch_sub(1, std::memory_order_release);
    remaining_.notify_one();
  }
}

}  // namespace kvscope
