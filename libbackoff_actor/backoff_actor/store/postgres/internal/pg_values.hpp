#pragma once

// Values in PostgreSQL's binary format, in both directions.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// The numbers of PostgreSQL's types.
namespace pg_type {
constexpr unsigned boolean = 16;
constexpr unsigned bytea = 17;
constexpr unsigned int8 = 20;
constexpr unsigned int4 = 23;
constexpr unsigned text = 25;
constexpr unsigned oid = 26;
constexpr unsigned bytea_array = 1001;
constexpr unsigned text_array = 1009;
constexpr unsigned int8_array = 1016;
constexpr unsigned timestamptz = 1184;
constexpr unsigned timestamptz_array = 1185;
} // namespace pg_type

// Adds a number, the highest byte first.
template <class Number>
void append_pg(std::string& to, Number number) {
  for (auto shift = static_cast<int>(sizeof(Number) * 8) - 8; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff));
}

inline std::string pg_int8(std::int64_t number) {
  std::string result;
  append_pg(result, number);
  return result;
}

inline std::string pg_int8(std::uint64_t number) {
  return pg_int8(static_cast<std::int64_t>(number));
}

inline std::string pg_int4(std::int32_t number) {
  std::string result;
  append_pg(result, number);
  return result;
}

inline std::string pg_bool(bool value) { return std::string(1, value ? '\1' : '\0'); }

// Reads a number of any size, the highest byte first.
inline std::int64_t read_pg_number(std::string_view bytes) {
  std::uint64_t result = bytes.empty() || static_cast<signed char>(bytes.front()) >= 0 ? 0 : ~0ULL;
  for (const auto one : bytes)
    result = result << 8 | static_cast<unsigned char>(one);
  return std::bit_cast<std::int64_t>(result);
}

// An array of one dimension.
class PgArray {
public:
  explicit PgArray(unsigned element_type) {
    append_pg(bytes_, std::int32_t{1}); // dimensions
    append_pg(bytes_, std::int32_t{0}); // whether it has nulls
    append_pg(bytes_, static_cast<std::uint32_t>(element_type));
    append_pg(bytes_, std::int32_t{0}); // the number of elements
    append_pg(bytes_, std::int32_t{1}); // the first index
  }

  void add(std::int64_t number) {
    append_pg(bytes_, std::int32_t{8});
    append_pg(bytes_, number);
    ++size_;
  }

  void add(std::string_view text) {
    append_pg(bytes_, static_cast<std::int32_t>(text.size()));
    bytes_ += text;
    ++size_;
  }

  void add(std::span<const std::byte> bytes) {
    add(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  void add_null() {
    append_pg(bytes_, std::int32_t{-1});
    bytes_[has_nulls_at + 3] = 1;
    ++size_;
  }

  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return bytes_.size(); }

  // The array as a parameter. Nothing may be added later.
  std::string take() {
    std::string size;
    append_pg(size, size_);
    bytes_.replace(size_at, size.size(), size);
    return std::move(bytes_);
  }

private:
  static constexpr std::size_t has_nulls_at = 4;
  static constexpr std::size_t size_at = 12;

  std::string bytes_{};
  std::int32_t size_ = 0;
};

} // namespace backoff_actor::detail
