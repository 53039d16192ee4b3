#include "base/result.hpp"

namespace kvscope {

Status::Status(const Error& error) : error_(std::make_unique<Error>(error)) {}
Status::Status(Error&& error) : error_(std::make_unique<Error>(std::move(error))) {}
Status::~Status() = default;

}  // namespace kvscope
