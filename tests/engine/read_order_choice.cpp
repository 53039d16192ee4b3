// In which order decode reads weights: decided by made-up times of passes.
#include "session/read_order_choice.hpp"

#include <doctest/doctest.h>

namespace kvscope {

namespace {

/// Passes that take so long in each order; returns how many were made by turns.
int run_for(ReadOrderChoice& choice, int n_passes, double straight_ms, double by_turns_ms) {
  int n_by_turns = 0;
  for (int i = 0; i < n_passes; ++i) {
    const bool by_turns = choice.next() == ReadOrder::by_turns;
    n_by_turns += by_turns;
    choice.passed(by_turns ? by_turns_ms : straight_ms);
  }
  return n_by_turns;
}

}  // namespace

TEST_CASE("the faster order is found within 16 passes and kept") {
  ReadOrderChoice choice;
  CHECK(run_for(choice, 16, 12, 9) == 4);
  CHECK(choice.next() == ReadOrder::by_turns);
  CHECK(run_for(choice, 10'000, 12, 9) > 9900);
}

TEST_CASE("the slower order is tried ever more rarely") {
  ReadOrderChoice choice;
  run_for(choice, 16, 9, 12);
  CHECK(choice.next() == ReadOrder::straight);
  const int tried = run_for(choice, 10'000, 9, 12);
  CHECK(tried >= 4);
  CHECK(tried < 100);
}

TEST_CASE("one slow pass decides nothing") {
  ReadOrderChoice choice;
  run_for(choice, 8, 12, 9);
  for (int i = 0; i < 8; ++i) {
    choice.passed(choice.next() == ReadOrder::straight ? 12 : i == 3 ? 90 : 9);
  }
  CHECK(choice.next() == ReadOrder::by_turns);
}

TEST_CASE("what is faster may change") {
  ReadOrderChoice choice;
  run_for(choice, 16, 12, 9);
  run_for(choice, 24, 9, 12);
  CHECK(choice.next() == ReadOrder::straight);
}

}  // namespace kvscope
