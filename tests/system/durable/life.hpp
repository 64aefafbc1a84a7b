#pragma once

#include "common/process.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::system_test {

/// A line that a producer wrote: `accepted 17 17`.
struct Note {
  std::string word{};
  std::uint64_t number = 0; ///< 0: none
  std::string rest{};
};

/// What a producer is to do.
struct Work {
  std::uint64_t from = 1;          ///< the first number that it submits
  std::uint64_t count = 0;         ///< how many
  std::uint64_t poison = 0;        ///< multiples of it crash the worker; 0: none does
  std::uint64_t max_in_flight = 0; ///< 0: as by default
  std::uint64_t max_batch = 0;     ///< 0: as by default
};

/// What is to happen to a producer, and when: so long after the n-th note of a word, or after its
/// start.
struct Blow {
  int signal;
  std::string word{};    ///< empty: the start
  std::size_t notes = 1; ///< n
  std::chrono::microseconds later{0};
};

/// One life of a producer.
struct Life {
  std::vector<Note> notes{};
  std::optional<example::Ending> ending{}; ///< none: it was silent for too long

  bool was_killed() const;
  bool ended_well() const { return ending && ending->is_success(); }

  /// How many notes of a word there are.
  std::size_t count(std::string_view word) const;
};

/// Lets a producer with its outbox in `file` live until it ends, by itself or by a blow. `heard` is
/// told of each note as it comes.
Life live(const std::filesystem::path& file, const Work& work,
          const std::optional<Blow>& blow = std::nullopt,
          const std::function<void(const Note&)>& heard = {});

/// For the output of a test that fails.
std::string to_string(const Life& life);

} // namespace backoff_actor::system_test
