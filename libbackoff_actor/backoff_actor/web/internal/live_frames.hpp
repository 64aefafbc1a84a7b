#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

// What the live page is told. It is one line of JSON in an event of a stream of events:
//
//     event: all
//     data: {"at":73000,"numbers":["phase","flags",...],"kinds":["orders"],
//     "senders":[[0,17,2,0,5,0,71000,73400,120,3,1,4,73000,6,1,1700000000000,0]],
//     "gone":[],"causes":[[0,17,72900,"Danger, High Voltage!"]],"rest":{...}}
//
// `at` and all other moments are milliseconds on the time line of the observatory. 0 is never. A
// row of `senders` has the index of its kind, its own number, and what `numbers` names
// (live_frames.cpp); with a pool also its workers by state, which are five numbers, and the ready
// deliveries. Flags: 1 paused, 2 held back, 4 on fallback, 8 store behind, 16 its dead letters are
// in an outbox, 32 its service is down.
//
// `rest` has the supervisors, guards, outboxes and their owners as in `/status`.
//
// The event `changes` has no `numbers`, and only the rows that have changed. `kinds` and `rest` are
// null there if they are as before.

namespace backoff_actor::web {

/// Makes the events of the live page. One look serves all watchers.
///
/// @thread one at a time
class LiveFrames {
public:
  /// Takes what is seen now, of all senders.
  void look(const ObservedStatus& status, Instant now);

  /// The same, one sender after the other: between `begin` and `end`, in any order.
  /// @{
  void begin(Instant now);
  void add(const ObservedSender& sender);
  void end(const ObservedStatus& others);
  /// @}

  /// Everything that was seen in the last look.
  std::string all() const;

  /// What has changed from the look before the last to the last.
  const std::string& changes() const { return changes_; }

private:
  static constexpr std::size_t plain = 19;
  static constexpr std::size_t with_pool = plain + 6;

  struct Row {
    std::uint64_t kind;
    std::uint64_t number;
    std::array<std::uint64_t, with_pool> numbers;
    bool has_pool;
    std::uint64_t cause_at; // 0: there is none
    std::string cause;

    bool is_before(const Row& other) const {
      return kind != other.kind ? kind < other.kind : number < other.number;
    }
    bool is_same(const Row& other) const {
      return has_pool == other.has_pool && numbers == other.numbers;
    }
  };

  static void write(std::string& json, const Row& row);
  static void write_cause(std::string& json, const Row& row);
  Row row_of(const ObservedSender& sender);
  std::uint64_t kind_of(const std::string& name);
  std::string kinds() const;
  std::string frame(const std::string& numbers, const std::string& rows, const std::string& gone,
                    const std::string& causes, const std::string& kinds,
                    const std::string& rest) const;
  void note_changes(const std::vector<Row>& before, bool are_kinds_new, bool is_rest_new);

  std::map<std::string, std::uint64_t, std::less<>> kinds_; // the index of each
  std::vector<const std::string*> names_;                   // the kinds in order
  std::vector<Row> rows_;                                   // in order
  std::vector<Row> earlier_rows_; // of the look before; once a look has begun, those to come
  std::size_t kinds_before_ = 0;
  Instant now_{};
  std::string rest_;
  std::uint64_t at_ = 0;
  std::string changes_;
};

/// How long to wait between two looks, given how long the last took: a look may take at most two
/// percent of the time of one processor.
BACKOFF_ACTOR_EXPORT Duration time_between_looks(Duration cost);

} // namespace backoff_actor::web
