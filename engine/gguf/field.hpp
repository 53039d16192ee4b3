#pragma once

#include <cstddef>
#include <span>

namespace kvscope::gguf {

/// A GGUF header is a chain of fields whose lengths are known when their turn comes. Its readers
/// are state machines over fields: `field_bytes()` says how many bytes the next one has,
/// `take(field)` reads it, `done()` says that there is none left. So bytes may arrive in pieces of
/// any size, and each is looked at once.
using Field = std::span<const std::byte>;

}  // namespace kvscope::gguf
