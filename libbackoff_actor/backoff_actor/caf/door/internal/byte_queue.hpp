#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace backoff_actor::door {

/// Bytes between a reader and a writer, in one piece. Takes its memory when it is first written to.
class ByteQueue {
public:
  /// In bytes, at least 1.
  explicit ByteQueue(std::size_t capacity) : capacity_(capacity) {}

  /// The bytes that are in it, the oldest first.
  std::span<const std::byte> content() const { return {bytes_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  bool is_full() const { return end_ - begin_ == capacity_; }

  /// All the room that is left, to be written to. `added` says how much was.
  std::span<std::byte> room() {
    if (!bytes_)
      bytes_ = std::make_unique<std::byte[]>(capacity_);
    if (begin_ != 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }
  void added(std::size_t count) { end_ += count; }

  /// Removes the oldest bytes.
  void remove(std::size_t count) {
    begin_ += count;
    if (begin_ == end_)
      begin_ = end_ = 0;
  }

private:
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace backoff_actor::door
