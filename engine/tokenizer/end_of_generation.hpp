#pragma once

#include <vector>

#include "base/result.hpp"
#include "tokenizer/vocabulary.hpp"

namespace kvscope {

/// The tokens after which a model has nothing more to say, sorted: the eos, eot and eom ids of the
/// metadata, and control or user-defined tokens with one of the usual texts. User-defined ones
/// among the latter become control tokens: typed text must never produce them. Errors: bad_gguf (an
/// id outside the vocabulary).
Result<std::vector<TokenId>> end_of_generation_tokens(const gguf::Metadata& metadata, TokenId eos,
                                                      Vocabulary& vocabulary);

}  // namespace kvscope
