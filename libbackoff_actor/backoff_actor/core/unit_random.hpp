#pragma once

#include <cstdint>

namespace backoff_actor {

namespace detail {

/// The finalizer of splitmix64: a bijection in which every input bit reaches every output bit.
///
/// @source Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

} // namespace detail

/// The random numbers of one stream of a seed. Each number is computed from three coordinates: the
/// seed, the stream and n. There is no generator that advances or is shared. A log line shows the
/// coordinates of a draw, so anybody can compute it again.
///
/// @shape  `Draws{seed, stream}(n) -> u`; pure, total, the same on every platform. It uses integers
///         and one exact conversion of 53 bits. `std::uniform_real_distribution` may differ between
///         libraries.
/// @units  dimensionless
/// @range  `0 <= u < 1`, in steps of 2^-53
/// @thread safe from any thread.
class Draws {
public:
  /// The numbers of stream `stream` of `seed`.
  constexpr Draws(std::uint64_t seed, std::uint64_t stream)
    : key_(detail::mix(detail::mix(seed + golden_) ^ (stream + golden_))) {}

  /// Returns the n-th number, counted from 0.
  constexpr double operator()(std::uint64_t n) const {
    return static_cast<double>(detail::mix(key_ + (n + 1) * golden_) >> 11) * 0x1.0p-53;
  }

private:
  static constexpr std::uint64_t golden_ = 0x9e3779b97f4a7c15ULL; // 2^64 / the golden ratio

  std::uint64_t key_;
};

/// Returns the n-th number of a stream of a seed, for callers that need only one: see `Draws`.
constexpr double unit_random(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  return Draws{seed, stream}(n);
}

} // namespace backoff_actor
