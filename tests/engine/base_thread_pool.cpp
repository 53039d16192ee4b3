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

TEST_CASE("deal gives every index to one thread, once") {
  for (const int n_threads : pool_sizes) {
    ThreadPool pool(n_threads);
    for (const int n : {0, 1, 2, 7, 100, 1536}) {
      CAPTURE(n_threads);
      CAPTURE(n);
      std::vector<int> touched(static_cast<std::size_t>(n));
      std::atomic<int> bad_threads{0};
      pool.deal(n, [&](int i, int thread) {
        bad_threads += thread < 0 || thread >= n_threads;
        ++touched[static_cast<std::size_t>(i)];
      });
      CHECK(bad_threads == 0);
      CHECK(touched == std::vector<int>(static_cast<std::size_t>(n), 1));
    }
  }
}

TEST_CASE("a single piece stays with the caller") {
  for (const int n_threads : pool_sizes) {
    ThreadPool pool(n_threads);
    std::thread::id job_thread;
    pool.deal(1, [&](int, int) { job_thread = std::this_thread::get_id(); });
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
    pool.deal(64, [&](int i, int) { ++values[static_cast<std::size_t>(i)]; });
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
    std::vector<int> order;
    pool.deal(3, [&](int i, int) { order.push_back(i); });
    CHECK(order == std::vector<int>{0, 1, 2});
    CHECK(pool.size() == n_threads);
  }
}

#ifdef KVSCOPE_THREADS
TEST_CASE("the others do what a thread that is held up leaves") {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  pool.deal(100, [&](int, int thread) {
    if (thread == 1) {
      while (done < 99) std::this_thread::yield();
    }
    ++done;
  });
  CHECK(done == 100);
}

TEST_CASE("a caller that had to wait long for another thread knows for how long") {
  ThreadPool pool(2);
  CHECK(pool.stalled_ms() == 0);
  pool.run([](int thread, int) {
    if (thread == 1) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  });
  CHECK(pool.stalled_ms() > 30);
  CHECK(pool.stalled_ms() < 10'000);
}

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
