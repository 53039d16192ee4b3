#include <doctest/doctest.h>

#include <limits>

#include "base/format.hpp"

namespace kvscope {

TEST_CASE("numbers in messages have three decimals and no more than are needed") {
  CHECK(concat("a ", 12, " b") == "a 12 b");
  CHECK(concat(0.0) == "0");
  CHECK(concat(1.5f) == "1.5");
  CHECK(concat(-0.25) == "-0.25");
  CHECK(concat(2.0006) == "2.001");
  CHECK(concat(0.9999) == "1");
  CHECK(concat(10.05) == "10.05");
}

TEST_CASE("numbers that are none, or too large to write out, are said in words") {
  CHECK(concat(std::numeric_limits<double>::quiet_NaN()) == "not a number");
  CHECK(concat(-std::numeric_limits<double>::infinity()) == "-more than 10^15");
}

}  // namespace kvscope
