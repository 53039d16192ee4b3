#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "gguf/header_reader.hpp"
#include "model/model.hpp"

namespace kvscope {

/// Builds a Model from the bytes of a GGUF file while they arrive. Each tile of weights is packed
/// as soon as its rows are there, so the file is never held beside the weights: the extra memory is
/// the header and one tile.
class ModelLoader {
 public:
  explicit ModelLoader(Precision precision) : precision_(precision) {}

  /// Takes the next bytes of the file, of any length. After an error the loader is of no more use.
  /// Errors: those of HeaderReader, Hparams and Tokenizer; missing_tensor, bad_shape,
  /// unsupported_architecture (a tensor that we would have to ignore), out_of_memory.
  Status push(std::span<const std::byte> bytes);

  std::uint64_t loaded_bytes() const { return loaded_bytes_; }
  /// The whole file's size as its header announces it; 0 until the header is complete.
  std::uint64_t total_bytes() const { return total_bytes_; }

  /// The finished model. Errors: truncated, not_gguf (fewer bytes than a magic).
  Result<std::unique_ptr<Model>> finish();

 private:
  /// Where one tensor's bytes go.
  struct Slot {
    gguf::TensorInfo info;
    PackedMatrix* matrix = nullptr;  // either a matrix …
    float* vector = nullptr;         // … or n_values floats
  };

  Status begin_weights();
  Status make_slots(std::vector<gguf::TensorInfo> tensors);
  Status take_weights(std::span<const std::byte> bytes);
  std::size_t unit_bytes() const;
  void store_unit(const std::byte* bytes);
  void skip_empty_slots();

  Precision precision_;
  gguf::HeaderReader reader_;
  std::unique_ptr<Model> model_;
  std::vector<Slot> slots_;  // in file order
  std::size_t slot_ = 0;     // the one being filled
  int unit_ = 0;             // its next tile
  std::vector<std::byte> partial_;
  std::uint64_t position_ = 0;  // in the data section
  std::uint64_t loaded_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace kvscope
