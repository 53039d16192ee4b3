#include "kernels/exp.hpp"

namespace kvscope {

const ExpConstants exp_constants{
    .log2_e = 1.44269504f,
    .rounder = 12582912.0f,
    .lowest = -87.0f,
    .c1 = 0.6931470036506653f,
    .c2 = 0.24022242426872253f,
    .c3 = 0.05550733581185341f,
    .c4 = 0.009671512991189957f,
    .c5 = 0.001326472731307149f,
    .one = 1.0f,
};

}  // namespace kvscope
