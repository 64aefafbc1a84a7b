#pragma once

#include "life.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

namespace backoff_actor::system_test {

/// What a store holds between two lives, by the numbers that were submitted.
struct OnDisk {
  std::uint64_t last_id = 0;
  std::map<std::uint64_t, std::uint32_t> owed{}; ///< with their failed attempts
  std::set<std::uint64_t> acknowledged{};
  std::map<std::uint64_t, std::uint32_t> dead{}; ///< with their failed attempts; each was exhausted

  bool is_owed(std::uint64_t number) const { return owed.count(number) != 0; }
  bool has_ended(std::uint64_t number) const {
    return acknowledged.count(number) != 0 || dead.count(number) != 0;
  }
};

/// Looks into a store that nobody owns; one that was never made holds nothing.
OnDisk look_into(const std::filesystem::path& file);

/// What all lives of a producer together have done, compared with what its file says after each.
/// The numbers are submitted in order from 1 on, so the delivery with number n is the n-th.
class LivesAccount {
public:
  /// `poison`: multiples of it crash the worker, and are given up after two attempts; 0: none does.
  LivesAccount(std::filesystem::path file, std::uint64_t poison)
    : file_(std::move(file)), poison_(poison) {}

  /// Adds a life that has ended. What it did wrong is a failure of the test.
  void add(const Life& life);

  /// All is done: what it did not do is a failure of the test.
  void close() const;

  /// The highest number whose client has heard that it was accepted.
  std::uint64_t last_accepted() const { return last_accepted_; }
  const OnDisk& on_disk() const { return on_disk_; }

  std::uint64_t kills() const { return kills_; }
  std::uint64_t duplicates() const { return duplicates_; } ///< of those that crash nobody

private:
  bool is_poison(std::uint64_t number) const { return poison_ != 0 && number % poison_ == 0; }
  void take_acceptance(const Note& note, const OnDisk& after);
  void take_execution(const Note& note, const OnDisk& after);
  std::uint32_t attempts_before(std::uint64_t number) const;
  void compare_with(const OnDisk& after) const;
  void expect_all_is_written(const OnDisk& after) const;

  const std::filesystem::path file_;
  const std::uint64_t poison_;
  OnDisk on_disk_;
  std::uint64_t last_accepted_ = 0;
  std::uint64_t last_executed_first_ = 0;          ///< all up to this have been executed once
  std::map<std::uint64_t, std::uint32_t> in_life_; ///< executions in the life that is added
  std::uint64_t last_in_life_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t duplicates_ = 0;
};

} // namespace backoff_actor::system_test
