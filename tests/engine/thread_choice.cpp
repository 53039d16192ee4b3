// When passes run on all threads: decided by made-up times of passes.
#include "session/thread_choice.hpp"

#include <doctest/doctest.h>

namespace kvscope {

namespace {

constexpr double macs = 1e6;

/// Passes of about `total_ms`; how long one takes on all threads and on one, and how much of it
/// stalled. Returns how many ran on all threads.
int run_for(ThreadChoice& choice, double total_ms, double together_ms, double alone_ms,
            double stalled_ms) {
  int n_together = 0;
  for (double ms = 0; ms < total_ms;) {
    const bool together = choice.parallel();
    n_together += together;
    const double pass_ms = together ? together_ms : alone_ms;
    choice.passed(macs, pass_ms, together ? stalled_ms : 0);
    ms += pass_ms;
  }
  return n_together;
}

}  // namespace

TEST_CASE("undisturbed passes always run on all threads") {
  ThreadChoice choice;
  CHECK(run_for(choice, 10'000, 5, 7, 0) == 2000);
  CHECK(run_for(choice, 10'000, 5, 7, 0.5) == 2000);  // stalls are short
}

TEST_CASE("passes that stall and are slower than one thread's move to one thread") {
  ThreadChoice choice;
  run_for(choice, 200, 12, 7, 6);
  // Tried again after 100, 200, 400 … ms, for 25 ms each time.
  const int n_together = run_for(choice, 20'000, 12, 7, 6);
  CHECK(n_together >= 10);
  CHECK(n_together <= 40);
  CHECK_FALSE(choice.parallel());
}

TEST_CASE("passes that stall and are still faster than one thread's stay where they are") {
  ThreadChoice choice;
  const int n_together = run_for(choice, 20'000, 5, 7, 1);
  CHECK(n_together > 3900);
  CHECK(n_together < 4000);  // one thread was tried
}

TEST_CASE("all threads run again when the other process has gone") {
  ThreadChoice choice;
  run_for(choice, 2000, 12, 7, 6);
  CHECK_FALSE(choice.parallel());
  run_for(choice, 3300, 5, 7, 0);
  CHECK(choice.parallel());
  CHECK(run_for(choice, 1000, 5, 7, 0) == 200);
}

TEST_CASE("a pass that is longer than a trial decides at once") {
  ThreadChoice choice;
  choice.passed(macs, 400, 250);
  CHECK_FALSE(choice.parallel());
  choice.passed(macs, 250, 0);  // the trial, which one thread wins
  CHECK_FALSE(choice.parallel());
  choice.passed(macs, 250, 0);
  CHECK(choice.parallel());  // soon again, once
  choice.passed(macs, 400, 250);
  for (int i = 0; i < 12; ++i) {
    CHECK_FALSE(choice.parallel());
    choice.passed(macs, 250, 0);
  }
}

}  // namespace kvscope
