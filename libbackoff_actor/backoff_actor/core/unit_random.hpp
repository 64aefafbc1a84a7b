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

/// Returns the n-th number of a stream of a seed: chance as a coordinate, not as a generator. There
/// is nothing to store, to copy or to share, and the three numbers in a log line give the same draw
/// again.
///
/// @shape  `(seed, stream, n) -> u`; pure, total, the same on every platform: integers, and one
///         exact conversion of 53 bits instead of `std::uniform_real_distribution`, whose algorithm
///         is free.
/// @units  dimensionless
/// @range  `0 <= u < 1`, in steps of 2^-53
/// @thread safe from any thread.
constexpr double unit_random(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL; // 2^64 divided by the golden ratio
  auto hash = detail::mix(seed + golden);
  hash = detail::mix(hash ^ (stream + golden));
  hash = detail::mix(hash + (n + 1) * golden);
  return static_cast<double>(hash >> 11) * 0x1.0p-53;
}

} // namespace backoff_actor
