// KvCache::save() and restore().
#include <array>
#include <bit>
#include <cstring>

#include "base/format.hpp"
#include "cache/kv_cache.hpp"

namespace kvscope {
namespace {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

struct Header {
  std::array<char, 4> magic{'K', 'V', 'C', 'S'};
  std::uint32_t version = 1;
  std::uint32_t n_layers;
  std::uint32_t n_kv_heads;
  std::uint32_t head_dim;
  std::uint32_t element_bytes;  // 4: f32, 2: f16, 1: q8_0, whose scales are not counted
  std::uint32_t tokens;
};
static_assert(sizeof(Header) == 28);

Header header_of(const KvShape& shape, int tokens) {
  return {.n_layers = static_cast<std::uint32_t>(shape.n_layers),
          .n_kv_heads = static_cast<std::uint32_t>(shape.n_kv_heads),
          .head_dim = static_cast<std::uint32_t>(shape.head_dim),
          .element_bytes = 4u >> static_cast<int>(shape.type),
          .tokens = static_cast<std::uint32_t>(tokens)};
}

std::string describe(const Header& h) {
  return concat(h.n_layers, " layers, ", h.n_kv_heads, " KV heads of ", h.head_dim, ", ",
                h.element_bytes, " bytes an element");
}

/// Calls f(pages of a layer and head, offset of their first K row in the snapshot) for each.
template <class F>
void for_each_head(const KvCache& cache, int tokens, F&& f) {
  const KvShape& s = cache.shape();
  const std::size_t heads = static_cast<std::size_t>(s.n_layers) * s.n_kv_heads;
  const std::size_t head_bytes = cache.bytes_per_token() / heads * static_cast<std::size_t>(tokens);
  std::size_t offset = sizeof(Header);
  for (int layer = 0; layer < s.n_layers; ++layer) {
    for (int head = 0; head < s.n_kv_heads; ++head, offset += head_bytes) {
      f(cache.pages(layer, head), offset);
    }
  }
}

Error refusal(std::string message) { return {ErrorCode::bad_snapshot, std::move(message)}; }

}  // namespace

std::size_t KvCache::snapshot_bytes() const { return sizeof(Header) + bytes(); }

void KvCache::save(std::span<std::byte> out) const {
  const Header header = header_of(shape_, tokens_);
  std::memcpy(out.data(), &header, sizeof(header));
  for_each_head(*this, tokens_, [&](const KvPages& kv, std::size_t offset) {
    const std::size_t row = kv_row_bytes(kv.type, kv.head_dim);
    std::byte* k = out.data() + offset;
    std::byte* v = k + row * static_cast<std::size_t>(tokens_);
    for (int position = 0; position < tokens_; ++position, k += row, v += row) {
      kv_load_row(kv, position, k, v);
    }
  });
}

Status KvCache::restore(std::span<const std::byte> snapshot) {
  const Header mine = header_of(shape_, 0);
  Header header{};
  if (snapshot.size() < sizeof(header)) {
    return refusal(concat("a KV cache snapshot has at least ", sizeof(header), " bytes, not ",
                          snapshot.size()));
  }
  std::memcpy(&header, snapshot.data(), sizeof(header));
  if (header.magic != mine.magic) return refusal("these bytes are no KV cache snapshot");
  if (header.version != mine.version) {
    return refusal(concat("snapshot version ", header.version, " is not ", mine.version,
                          ": save it again with this release"));
  }
  if (describe(header) != describe(mine)) {
    return refusal(concat("the snapshot is of a cache with ", describe(header),
                          "; this session has ", describe(mine)));
  }
  if (header.tokens > static_cast<std::uint32_t>(shape_.capacity_tokens)) {
    return refusal(concat("the snapshot holds ", header.tokens, " tokens, this session at most ",
                          shape_.capacity_tokens, "; create one with a longer context"));
  }
  const std::size_t expected = sizeof(header) + bytes_per_token() * header.tokens;
  if (snapshot.size() != expected) {
    return refusal(concat("a snapshot of ", header.tokens, " tokens has ", expected, " bytes, not ",
                          snapshot.size(), ": it was cut short or joined to something else"));
  }

  const int tokens = static_cast<int>(header.tokens);
  if (Status reserved = reserve(tokens); !reserved) return reserved;
  for_each_head(*this, tokens, [&](const KvPages& kv, std::size_t offset) {
    const std::size_t row = kv_row_bytes(kv.type, kv.head_dim);
    const std::byte* k = snapshot.data() + offset;
    const std::byte* v = k + row * header.tokens;
    for (int position = 0; position < tokens; ++position, k += row, v += row) {
      kv_store_row(kv, position, k, v);
    }
  });
  tokens_ = tokens;
  truncate(tokens);  // frees what the contents before needed beyond these
  return {};
}

}  // namespace kvscope
