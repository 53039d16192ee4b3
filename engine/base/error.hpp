#pragma once

#include <string>
#include <string_view>

namespace kvscope {

/// Everything that can go wrong inside the engine. `code_name` gives the stable name that reaches
/// JavaScript as `KvScopeError.code`; the page translates it.
enum class ErrorCode {
  not_gguf,                  // the bytes do not begin with the GGUF magic
  truncated,                 // the file ended before what its header announces
  bad_gguf,                  // a header field breaks the format's rules
  unsupported_version,       // a GGUF version other than 2 or 3
  unsupported_architecture,  // general.architecture is not one that we run
  unsupported_tensor_type,   // a tensor is stored in a block format that we do not read
  unsupported_tokenizer,     // tokenizer.ggml.model or .pre is not one that we know
  missing_key,               // a metadata key that the architecture needs is absent
  missing_tensor,            // a weight that the architecture needs is absent
  bad_shape,                 // a tensor's shape contradicts the hyperparameters
  out_of_memory,             // memory could not be grown to what is needed
  context_full,              // the tokens do not fit the session's context
  bad_token,                 // a token id outside the vocabulary
  bad_argument,              // an argument outside its documented range
  bad_state,                 // the call does not fit what was called before
  bad_snapshot,              // bytes given to restore() were not saved by a session like this
};

constexpr std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_gguf: return "not-gguf";
    case ErrorCode::truncated: return "truncated";
    case ErrorCode::bad_gguf: return "bad-gguf";
    case ErrorCode::unsupported_version: return "unsupported-version";
    case ErrorCode::unsupported_architecture: return "unsupported-architecture";
    case ErrorCode::unsupported_tensor_type: return "unsupported-tensor-type";
    case ErrorCode::unsupported_tokenizer: return "unsupported-tokenizer";
    case ErrorCode::missing_key: return "missing-key";
    case ErrorCode::missing_tensor: return "missing-tensor";
    case ErrorCode::bad_shape: return "bad-shape";
    case ErrorCode::out_of_memory: return "out-of-memory";
    case ErrorCode::context_full: return "context-full";
    case ErrorCode::bad_token: return "bad-token";
    case ErrorCode::bad_argument: return "bad-argument";
    case ErrorCode::bad_state: return "bad-state";
    case ErrorCode::bad_snapshot: return "bad-snapshot";
  }
  return "unknown";
}

struct Error {
  ErrorCode code;
  std::string message;  // what was wrong, with the numbers, and what to do
};

}  // namespace kvscope
