#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace kvscope {

/// Uninitialised memory on a cache line boundary, for weights, activations and the KV cache. Unlike
/// std::vector it can report that there is no memory left, and never copies by accident.
template <class T>
class AlignedBuffer {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedBuffer() = default;

  /// Room for n elements; check valid() before use.
  explicit AlignedBuffer(std::size_t n) : size_(n) {
    const std::size_t bytes = (n * sizeof(T) + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes ? bytes : alignment)));
    if (!data_) size_ = 0;
  }

  bool valid() const { return data_ != nullptr; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

  void zero() { std::memset(static_cast<void*>(data()), 0, bytes()); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace kvscope
