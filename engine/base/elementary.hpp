#pragma once

namespace kvscope {

// Elementary functions where they are called rarely or for one number: the C library's bring tables
// of 7 KB that do not compress, these are the same to a few units of the last place.

/// e^x for x <= 709; 0 below -707. NaN stays NaN.
double exp_of(double x);

/// ln x for normal x > 0. NaN and infinity stay what they are.
double log_of(double x);

struct CosSin {
  double cos;
  double sin;
};

/// For |angle| up to 10^6.
CosSin cos_sin_of(double angle);

}  // namespace kvscope
