#include "model/loader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/format.hpp"
#include "tensor/dequantise.hpp"

namespace kvscope {

namespace {

struct Destination {
  PackedMatrix* matrix = nullptr;
  AlignedBuffer<float>* vector = nullptr;
  std::vector<float>* factors = nullptr;
  int rows = 1;
  int cols = 0;
  bool missing = true;  // from the file; never said of what is optional
};

/// Every tensor that the llama architecture has, by its GGUF name.
std::map<std::string, Destination> destinations(Model& model) {
  const Hparams& h = model.hparams;
  const int vocab = model.vocab_size();
  std::map<std::string, Destination> out;
  const auto matrix = [&](std::string name, PackedMatrix& w, int rows, int cols) {
    out[std::move(name)] = {.matrix = &w, .rows = rows, .cols = cols};
  };
  const auto vector = [&](std::string name, AlignedBuffer<float>& v, int n) {
    out[std::move(name)] = {.vector = &v, .cols = n};
  };

  matrix("token_embd.weight", model.token_embd, vocab, h.dim);
  vector("output_norm.weight", model.output_norm, h.dim);
  out["rope_freqs.weight"] = {
      .factors = &model.rope_factors, .cols = h.n_rot / 2, .missing = false};
  for (int i = 0; i < h.n_layers; ++i) {
    Layer& l = model.layers[static_cast<std::size_t>(i)];
    const std::string block = concat("blk.", i, ".");
    vector(block + "attn_norm.weight", l.attn_norm, h.dim);
    matrix(block + "attn_q.weight", l.wq, h.q_dim(), h.dim);
    matrix(block + "attn_k.weight", l.wk, h.kv_dim(), h.dim);
    matrix(block + "attn_v.weight", l.wv, h.kv_dim(), h.dim);
    matrix(block + "attn_output.weight", l.wo, h.dim, h.q_dim());
    vector(block + "ffn_norm.weight", l.ffn_norm, h.dim);
    matrix(block + "ffn_gate.weight", l.w_gate, h.ffn_dim, h.dim);
    matrix(block + "ffn_up.weight", l.w_up, h.ffn_dim, h.dim);
    matrix(block + "ffn_down.weight", l.w_down, h.dim, h.ffn_dim);
  }
  return out;
}

std::string shape_of(const gguf::TensorInfo& t) {
  std::string out = concat("(", t.ne[0]);
  for (int i = 1; i < t.n_dims; ++i) out += concat(", ", t.ne[static_cast<std::size_t>(i)]);
  return out + ")";
}

ModelCard read_card(const gguf::Header& header) {
  const gguf::Metadata& m = header.metadata;
  ModelCard card;
  card.name = m.string("general.name").value_or("");
  card.description = m.string("general.description").value_or("");
  card.file_bytes = static_cast<std::int64_t>(header.file_bytes());
  card.telling_layer = static_cast<int>(m.integer("kvscope.head.layer").value_or(-1));
  card.telling_head = static_cast<int>(m.integer("kvscope.head.head").value_or(-1));
  std::array<std::uint64_t, 32> values_by_type{};  // the ids that we read are below
  for (const gguf::TensorInfo& t : header.tensors) {
    card.n_parameters += static_cast<std::int64_t>(t.n_values());
    values_by_type[static_cast<std::size_t>(t.type)] += t.n_values();
  }
  const auto most = std::max_element(values_by_type.begin(), values_by_type.end());
  const auto type = static_cast<gguf::TensorType>(most - values_by_type.begin());
  if (*most > 0) card.quantization = gguf::traits_of(type).name;
  return card;
}

}  // namespace

Status ModelLoader::push(std::span<const std::byte> bytes) {
  loaded_bytes_ += bytes.size();
  if (model_) return take_weights(bytes);

  Result<bool> complete = reader_.push(bytes);
  if (!complete) return complete.error();
  if (!*complete) return {};
  if (Status begun = begin_weights(); !begun) return begun;

  const std::span<const std::byte> rest = reader_.rest();
  const std::uint64_t padding = total_bytes_ - reader_.header().data_bytes - reader_.header_bytes();
  // The padding may not have arrived yet: count it as data bytes before position 0.
  position_ = 0 - padding;
  Status status = take_weights(rest);
  reader_ = {};
  return status;
}

Status ModelLoader::begin_weights() {
  gguf::Header& header = reader_.header();
  Result<Hparams> hparams = Hparams::read(header.metadata);
  if (!hparams) return hparams.error();
  Result<Tokenizer> tokenizer = Tokenizer::create(header.metadata);
  if (!tokenizer) return tokenizer.error();

  model_ = std::make_unique<Model>(std::move(tokenizer).value());
  model_->hparams = *hparams;
  model_->card = read_card(header);
  model_->layers.resize(static_cast<std::size_t>(hparams->n_layers));
  total_bytes_ = header.file_bytes();
  return make_slots(std::move(header.tensors));
}

Status ModelLoader::make_slots(std::vector<gguf::TensorInfo> tensors) {
  std::map<std::string, Destination> wanted = destinations(*model_);
  const bool untied = std::any_of(tensors.begin(), tensors.end(),
                                  [](const auto& t) { return t.name == "output.weight"; });
  if (untied) {
    PackedMatrix& output = model_->output.emplace();
    wanted["output.weight"] = {
        .matrix = &output, .rows = model_->vocab_size(), .cols = model_->hparams.dim};
  }

  for (gguf::TensorInfo& t : tensors) {
    const auto found = wanted.find(t.name);
    if (found == wanted.end()) {
      return Error{
          ErrorCode::unsupported_architecture,
          concat(
              "the file has a tensor ", t.name, " ", shape_of(t),
              " that this engine's llama does not use; leaving it out would give wrong results")};
    }
    Destination& to = found->second;
    if (t.ne[0] != static_cast<std::uint64_t>(to.cols) ||
        t.n_rows() != static_cast<std::uint64_t>(to.rows)) {
      return Error{ErrorCode::bad_shape,
                   concat("tensor ", t.name, " is ", shape_of(t),
                          "; the file's own settings ask for (", to.cols, ", ", to.rows, ")")};
    }
    Slot slot{std::move(t)};
    if (to.matrix) {
      Result<PackedMatrix> w = PackedMatrix::create(slot.info.type, to.rows, to.cols, precision_);
      if (!w) return w.error();
      *to.matrix = std::move(w).value();
      slot.matrix = to.matrix;
    } else if (to.vector) {
      *to.vector = AlignedBuffer<float>(static_cast<std::size_t>(to.cols));
      slot.vector = to.vector->data();
    } else {
      to.factors->resize(static_cast<std::size_t>(to.cols));
      slot.vector = to.factors->data();
    }
    slots_.push_back(std::move(slot));
    to.missing = false;  // erasing it would link 850 bytes of tree
  }
  for (const auto& [name, to] : wanted) {
    if (to.missing) {
      return Error{ErrorCode::missing_tensor,
                   concat("the file has no tensor ", name, ", which its architecture needs")};
    }
  }
  return {};
}

/// What is stored at once: a tile of a matrix, or a whole vector.
std::size_t ModelLoader::unit_bytes() const {
  const Slot& slot = slots_[slot_];
  if (!slot.matrix) return static_cast<std::size_t>(slot.info.bytes);
  const int rows_left = slot.matrix->rows() - unit_ * PackedMatrix::tile_rows;
  const int rows = std::min(rows_left, PackedMatrix::tile_rows);
  return static_cast<std::size_t>(rows) * gguf::row_bytes(slot.info.type, slot.info.ne[0]);
}

void ModelLoader::store_unit(const std::byte* bytes) {
  Slot& slot = slots_[slot_];
  if (slot.matrix) {
    slot.matrix->pack_tile(unit_, bytes);
    if (++unit_ < slot.matrix->tiles()) return;
  } else {
    dequantise(slot.info.type, bytes, slot.info.n_values(), slot.vector);
  }
  ++slot_;
  unit_ = 0;
}

Status ModelLoader::take_weights(std::span<const std::byte> bytes) {
  while (!bytes.empty() && slot_ < slots_.size()) {
    // `position_` wraps below zero while header padding is outstanding, so compare by distance.
    const std::uint64_t start = slots_[slot_].info.offset;
    const bool at_unit_start = unit_ == 0 && partial_.empty();
    if (at_unit_start && position_ != start) {
      const std::size_t gap =
          static_cast<std::size_t>(std::min<std::uint64_t>(start - position_, bytes.size()));
      position_ += gap;
      bytes = bytes.subspan(gap);
      continue;
    }
    const std::size_t need = unit_bytes();
    std::size_t taken = need;
    if (partial_.empty() && bytes.size() >= need) {
      store_unit(bytes.data());
    } else {
      taken = std::min(need - partial_.size(), bytes.size());
      partial_.insert(partial_.end(), bytes.begin(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      if (partial_.size() == need) {
        store_unit(partial_.data());
        partial_.clear();
      }
    }
    position_ += taken;
    bytes = bytes.subspan(taken);
  }
  return {};
}

Result<std::unique_ptr<Model>> ModelLoader::finish() {
  if (!model_) return reader_.end_of_file();
  if (slot_ < slots_.size()) {
    return Error{ErrorCode::truncated,
                 concat("the file has ", loaded_bytes_, " of the ", total_bytes_,
                        " bytes that its header announces (it ends in tensor ",
                        slots_[slot_].info.name, "); it was cut short: get it again")};
  }
  return std::move(model_);
}

}  // namespace kvscope
