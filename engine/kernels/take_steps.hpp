#pragma once

#include "kernels/vec128.hpp"

namespace kvscope {

/// Calls step() n times, the steps of a block of columns. One or two of them stand before the loop:
/// the first adds to a constant, and of what is left of 4 or 8, V8 unrolls three at a time without
/// a remainder (5 % of a product); of 16, too, two are best. The barriers keep steps from being
/// mixed into one, with more at hand than there are registers.
template <int n, class Step>
void take_steps(Step step) {
  constexpr int before = n > 4 ? 2 : 1;
  for (int i = 0; i < before; ++i) {
    step();
    asm volatile("" ::: "memory");
  }
  KVSCOPE_ROLLED
  for (int i = before; i < n; ++i) step();
}

}  // namespace kvscope
