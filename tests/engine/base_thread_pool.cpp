// The fork-join pool: each thread runs each job once, ranges cover every index exactly once.
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "base/thread_pool.hpp"

namespace kvscope {

namespace {

#ifdef KVSCOPE_THREADS
const std::vector<int> pool_sizes{1, 2, 3, 5};
#else
const std::vector<int> pool_sizes{1};  // a WebAssembly build that has no threads
#endif

}  // namespace

TEST_CASE("run calls the job once on each thread, with its number and their number") {
  for (const int n_threads : pool_sizes) {
    CAPTURE(n_threads);
    ThreadPool pool(n_threads);
    CHECK(pool.size() == n_threads);
    std::vector<int> calls(static_cast<std::size_t>(n_threads));
    std::atomic<int> wrong_counts{0};
    pool.run([&](int thread, int n) {
      ++calls[static_cast<std::size_t>(thread)];
      wrong_counts += n != n_threads;
    });
    CHECK(calls == std::vector<int>(static_cast<std::size_t>(n_threads), 1));
    CHECK(wrong_counts == 0);
  }
}

TEST_CASE("split covers every index exactly once, in ranges that begin at multiples of the grain") {
  for (const int n_threads : pool_sizes) {
    ThreadPool pool(n_threads);
    for (const int n : {0, 1, 7, 16, 17, 100, 1536}) {
      for (const int grain : {1, 4, 16, 1000}) {
        CAPTURE(n_threads);
        CAPTURE(n);
        CAPTURE(grain);
        std::vector<int> touched(static_cast<std::size_t>(n));
        std::atomic<int> bad_ranges{0};
        pool.split(n, grain, [&](int begin, int end, int thread) {
          const bool aligned = begin % grain == 0 && (end % grain == 0 || end == n);
          bad_ranges += !aligned || begin >= end || thread < 0 || thread >= n_threads;
          for (int i = begin; i < end; ++i) ++touched[static_cast<std::size_t>(i)];
        });
        CHECK(bad_ranges == 0);
        CHECK(touched == std::vector<int>(static_cast<std::size_t>(n), 1));
      }
    }
  }
}

TEST_CASE("what is one grain or less stays with the caller") {
  for (const int n_threads : pool_sizes) {
    ThreadPool pool(n_threads);
    std::thread::id job_thread;
    pool.split(5, 8, [&](int begin, int end, int thread) {
      CHECK((begin == 0 && end == 5 && thread == 0));
      job_thread = std::this_thread::get_id();
    });
    CHECK(job_thread == std::this_thread::get_id());
  }
}

TEST_CASE("the shares of the threads differ by at most one grain") {
  for (const int n : {576, 1536, 49152}) {
    const int grain = 16;
    for (int n_threads = 1; n_threads <= 16; ++n_threads) {
      int least = n, most = 0;
      for (int thread = 0; thread < n_threads; ++thread) {
        const auto [begin, end] = ThreadPool::range_of(n, grain, thread, n_threads);
        least = std::min(least, end - begin);
        most = std::max(most, end - begin);
      }
      CHECK(most - least <= grain);
    }
  }
}

TEST_CASE("a pool of one runs the job on the caller's thread") {
  ThreadPool pool;
  std::thread::id job_thread;
  pool.run([&](int, int) { job_thread = std::this_thread::get_id(); });
  CHECK(job_thread == std::this_thread::get_id());
}

TEST_CASE("a hundred thousand jobs see what the jobs before them wrote") {
  constexpr int n_jobs = 100'000;
  ThreadPool pool(pool_sizes.size() > 1 ? 2 : 1);
  // Plain ints: only the pool's own ordering makes these reads and writes safe.
  std::vector<int> values(64);
  int wrong = 0;
  for (int job = 0; job < n_jobs; ++job) {
    pool.split(64, 1, [&](int begin, int end, int) {
      for (int i = begin; i < end; ++i) ++values[static_cast<std::size_t>(i)];
    });
    wrong += values[0] != job + 1 || values[63] != job + 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a pool that is not to run in parallel leaves everything to the caller") {
  for (const int n_threads : pool_sizes) {
    ThreadPool pool(n_threads);
    CHECK(pool.active() == n_threads);
    pool.set_parallel(false);
    CHECK(pool.active() == 1);
    std::vector<std::pair<int, int>> calls;
    pool.run([&](int thread, int n) { calls.emplace_back(thread, n); });
    CHECK(calls == std::vector<std::pair<int, int>>{{0, 1}});
    pool.threads_pay();  // leaves the setting as it was
    calls.clear();
    pool.run([&](int thread, int n) { calls.emplace_back(thread, n); });
    CHECK(calls.size() == 1);
    CHECK(pool.size() == n_threads);
  }
}

TEST_CASE("one thread never pays against itself") { CHECK_FALSE(ThreadPool(1).threads_pay()); }

#ifdef KVSCOPE_THREADS
TEST_CASE("workers that went to sleep wake for the next job") {
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    pool.run([&](int, int) { ++calls; });
  }
  CHECK(calls == 6);
}

TEST_CASE("pools come and go without losing a thread") {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(3);
    if (i % 2 == 0) pool.run([](int, int) {});
  }
}
#endif

}  // namespace kvscope
