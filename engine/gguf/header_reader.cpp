#include "gguf/header_reader.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/format.hpp"
#include "gguf/file_kind.hpp"
#include "gguf/value_type.hpp"

namespace kvscope::gguf {

namespace {

constexpr std::uint32_t magic = 0x46554747;  // "GGUF"

Error bad(std::string what) { return {ErrorCode::bad_gguf, std::move(what)}; }

Error not_gguf(std::string_view what) {
  return {ErrorCode::not_gguf, concat("This is not a GGUF file: ", what)};
}

std::uint32_t byte_swapped(std::uint32_t x) {
  return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

}  // namespace

Result<bool> HeaderReader::push(std::span<const std::byte> bytes) {
  if (error_) return *error_;
  if (part_ == Part::done) {
    return Error{ErrorCode::bad_state, "The GGUF header is complete; it takes no more bytes."};
  }
  rest_ = bytes;
  while (part_ != Part::done) {
    const std::optional<Field> field = next_field();
    if (!field) return false;
    if (const Status status = take(*field); !status) {
      error_ = located(status.error());
      return *error_;
    }
  }
  return true;
}

std::uint64_t HeaderReader::field_bytes() const {
  switch (part_) {
    case Part::magic:
    case Part::version: return sizeof(std::uint32_t);
    case Part::counts: return 2 * sizeof(std::uint64_t);
    case Part::metadata: return metadata_.field_bytes();
    case Part::tensors: return directory_.field_bytes();
    case Part::done: break;
  }
  return 0;
}

// A field is a view of the pushed bytes where they hold all of it, else of field_, put together
// from pieces; it is valid until the next call. nullopt: the bytes do not suffice.
std::optional<Field> HeaderReader::next_field() {
  const auto wanted = static_cast<std::size_t>(field_bytes());
  const std::size_t n = std::min(wanted - pending_.size(), rest_.size());
  const Field piece = rest_.first(n);
  rest_ = rest_.subspan(n);
  if (n == wanted) {
    consumed_bytes_ += wanted;
    return piece;
  }
  pending_.insert(pending_.end(), piece.begin(), piece.end());
  if (pending_.size() < wanted) return std::nullopt;
  consumed_bytes_ += wanted;
  field_.swap(pending_);
  pending_.clear();
  return field_;
}

Status HeaderReader::take(Field field) {
  Status status;
  switch (part_) {
    case Part::magic: return take_magic(field);
    case Part::version: return take_version(field);
    case Part::counts: status = take_counts(field); break;
    case Part::metadata: status = metadata_.take(field); break;
    case Part::tensors: status = directory_.take(field); break;
    case Part::done: break;
  }
  if (!status) return status;
  return advance();
}

Status HeaderReader::take_magic(Field field) {
  if (load<std::uint32_t>(field.data()) != magic) {
    std::vector<std::byte> first_bytes(field.begin(), field.end());
    const Field more = rest_.first(std::min<std::size_t>(rest_.size(), 256));
    first_bytes.insert(first_bytes.end(), more.begin(), more.end());
    return not_gguf(describe_foreign_file(first_bytes));
  }
  part_ = Part::version;
  return {};
}

Status HeaderReader::take_version(Field field) {
  constexpr std::uint32_t oldest = 2, newest = 3;
  header_.version = load<std::uint32_t>(field.data());
  if (header_.version >= oldest && header_.version <= newest) {
    part_ = Part::counts;
    return {};
  }
  const std::uint32_t swapped = byte_swapped(header_.version);
  if (swapped >= 1 && swapped <= newest) {
    return not_gguf("it is a big-endian GGUF file. Take the little-endian one.");
  }
  return Error{ErrorCode::unsupported_version,
               concat("The file is GGUF version ", header_.version, "; versions ", oldest, " and ",
                      newest, " are read. Convert the model again, to version ", newest, ".")};
}

Status HeaderReader::take_counts(Field field) {
  n_tensors_ = load<std::uint64_t>(field.data());
  const auto n_entries = load<std::uint64_t>(field.data() + sizeof(std::uint64_t));
  if (n_tensors_ > TensorDirectory::max_tensors) {
    return bad(concat("it announces ", n_tensors_, " tensors; the limit is ",
                      TensorDirectory::max_tensors));
  }
  if (n_entries > MetadataReader::max_entries) {
    return bad(concat("it announces ", n_entries, " metadata entries; the limit is ",
                      MetadataReader::max_entries));
  }
  metadata_ = MetadataReader(n_entries);
  part_ = Part::metadata;
  return {};
}

// To the next part when this one is done.
Status HeaderReader::advance() {
  if (part_ == Part::metadata && metadata_.done()) {
    if (Status status = finish_metadata(); !status) return status;
    part_ = Part::tensors;
  }
  if (part_ == Part::tensors && directory_.done()) {
    finish_tensors();
    part_ = Part::done;
  }
  if (field_bytes() > max_header_bytes - consumed_bytes_) {
    return bad(concat("its header is longer than ", max_header_bytes, " bytes"));
  }
  return {};
}

Status HeaderReader::finish_metadata() {
  header_.metadata = std::move(metadata_.metadata());
  if (Status status = take_alignment(); !status) return status;
  if (Status status = check_not_split(); !status) return status;
  directory_ = TensorDirectory(n_tensors_, header_.alignment);
  return {};
}

Status HeaderReader::take_alignment() {
  constexpr std::int64_t largest = 1 << 30;
  if (!header_.metadata.contains("general.alignment")) return {};
  const std::int64_t alignment = header_.metadata.integer("general.alignment").value_or(0);
  if (alignment < 1 || alignment > largest ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    return bad(concat("general.alignment is ", alignment, ", which is not a power of two"));
  }
  header_.alignment = static_cast<std::uint32_t>(alignment);
  return {};
}

Status HeaderReader::check_not_split() const {
  const std::int64_t n_parts = header_.metadata.integer("split.count").value_or(1);
  if (n_parts <= 1) return {};
  const std::int64_t part = header_.metadata.integer("split.no").value_or(0) + 1;
  return bad(
      concat("it is part ", part, " of ", n_parts,
             " of a split model. Merge the parts (llama-gguf-split --merge) and load the result"));
}

void HeaderReader::finish_tensors() {
  header_.tensors = std::move(directory_.tensors());
  header_.data_bytes = directory_.data_bytes();
  header_.data_offset = align_up(consumed_bytes_, header_.alignment);
}

Error HeaderReader::located(Error error) const {
  if (error.code != ErrorCode::bad_gguf) return error;
  return bad(concat("This GGUF file cannot be read: ", error.message, " (found at byte ",
                    consumed_bytes_, "). Download it again or take another file."));
}

Error HeaderReader::end_of_file() const {
  const std::uint64_t bytes = consumed_bytes_ + pending_.size();
  if (error_) return *error_;
  if (part_ == Part::magic) return not_gguf(describe_foreign_file(pending_));
  return {ErrorCode::truncated,
          concat("The file ends after ", bytes, " bytes, inside its header, where at least ",
                 field_bytes() - pending_.size(), " more must follow. Download it again.")};
}

}  // namespace kvscope::gguf
