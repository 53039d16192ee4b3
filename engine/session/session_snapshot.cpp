// Session::save() and restore(): a header, the token ids, the logits if there are any, then the KV
// cache's own snapshot.
#include <array>
#include <cstring>

#include "base/format.hpp"
#include "session/session.hpp"

namespace kvscope {

namespace {

struct Header {
  std::array<char, 4> magic{'K', 'V', 'S', 'S'};
  std::uint32_t version = 1;
  std::uint32_t n_tokens = 0;
  std::uint32_t logits_end = 0;
  std::uint32_t vocab_size = 0;
};
static_assert(sizeof(Header) == 20);

Error refusal(std::string message) { return {ErrorCode::bad_snapshot, std::move(message)}; }

}  // namespace

std::vector<std::byte> Session::save() const {
  const Header header{.n_tokens = static_cast<std::uint32_t>(tokens_.size()),
                      .logits_end = static_cast<std::uint32_t>(logits_end_),
                      .vocab_size = static_cast<std::uint32_t>(logits_.size())};
  const std::size_t logits_bytes = logits().size_bytes();
  const std::size_t ids_bytes = tokens_.size() * sizeof(TokenId);
  std::vector<std::byte> out(sizeof(Header) + ids_bytes + logits_bytes + cache_.snapshot_bytes());
  std::byte* at = out.data();
  const auto put = [&](const void* from, std::size_t n) {
    if (n > 0) std::memcpy(at, from, n);
    at += n;
  };
  put(&header, sizeof(Header));
  put(tokens_.data(), ids_bytes);
  put(logits().data(), logits_bytes);
  cache_.save({at, cache_.snapshot_bytes()});
  return out;
}

Status Session::restore(std::span<const std::byte> snapshot) {
  Header header;
  if (snapshot.size() < sizeof(Header))
    return refusal(concat("a snapshot has more than ", snapshot.size(), " bytes"));
  std::memcpy(&header, snapshot.data(), sizeof(Header));
  if (header.magic != Header{}.magic || header.version != Header{}.version) {
    return refusal("these bytes are not a session that kvscope saved");
  }
  if (header.vocab_size != logits_.size()) {
    return refusal(concat("the snapshot is of a model with ", header.vocab_size,
                          " tokens; this one has ", logits_.size()));
  }
  if (header.n_tokens > static_cast<std::uint32_t>(options_.context_length) + 1 ||
      header.logits_end > header.n_tokens) {
    return refusal(concat("the snapshot's ", header.n_tokens, " tokens do not fit a context of ",
                          options_.context_length));
  }
  const std::size_t ids_bytes = header.n_tokens * sizeof(TokenId);
  const std::size_t logits_bytes = header.logits_end > 0 ? logits_.bytes() : 0;
  if (snapshot.size() < sizeof(Header) + ids_bytes + logits_bytes)
    return refusal("the snapshot was cut short");

  std::vector<TokenId> ids(header.n_tokens);
  if (!ids.empty()) std::memcpy(ids.data(), snapshot.data() + sizeof(Header), ids_bytes);
  for (const TokenId id : ids) {
    if (id < 0 || id >= model_.vocab_size())
      return refusal(concat("the snapshot holds token ", id, ", outside the vocabulary"));
  }
  if (Status restored = cache_.restore(snapshot.subspan(sizeof(Header) + ids_bytes + logits_bytes));
      !restored)
    return restored;
  if (logits_bytes > 0)
    std::memcpy(logits_.data(), snapshot.data() + sizeof(Header) + ids_bytes, logits_bytes);
  if (static_cast<std::size_t>(cache_.tokens()) > ids.size()) {
    cache_.clear();
    tokens_.clear();
    logits_end_ = 0;
    return refusal("the snapshot has more cached positions than tokens");
  }
  tokens_ = std::move(ids);
  logits_end_ = header.logits_end;
  prefilling_ = false;
  generating_ = false;
  return {};
}

}  // namespace kvscope
