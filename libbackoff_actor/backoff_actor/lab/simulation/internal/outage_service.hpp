#pragma once

// Design notes
//
// The service of seed 002 in virtual time. The handler of a request sleeps 50 ms again and again.
// It answers when it wakes up and the request has been there for longer than `service_time` of the
// current concurrency.
//
//     connect --backlog full--> refused (the client's TCP tries again)
//        |
//     backlog --running, and fewer than max_concurrency--> worked on
//                                                              |
//                                              answered <--a look at the clock
//
// If each request looked at the clock on its own, each would need 20 events a second. Instead,
// requests whose sleeps end at about the same time share a *bucket*. There are 501 buckets, for
// phases of 100 us. A sleep lasts 50.1 ms, because a real one lasts a little longer than requested.
// (So a service time of 100 ms takes two sleeps, although the condition is strict.) A bucket is a
// queue of *cohorts*: a cohort holds the requests that the service accepted in one phase. Phases of
// the same bucket are 50.1 ms apart. The oldest cohort is done first, so a look at a bucket begins
// with its first cohort. All requests of a cohort are done together: when one of them is done, the
// concurrency falls, the others need less time, and so they are done too.
//
// Waiting clients are linked to their cohort. Clients that left are only counted in it. So
// abandoned work takes 32 bytes a cohort, however many requests it has. At most 10,000 cohorts
// begin in a second.
//
// While the service is stopped, TCP goes on and connections enter the backlog. When the service
// continues, all sleeps have ended. The requests that were worked on look at the clock at once, in
// order of their age. After that the service accepts the backlog.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace backoff_actor {

/// The service of an outage. Its clients have numbers, and at most one request each. Times are in
/// microseconds and do not go back.
class BACKOFF_ACTOR_EXPORT OutageService {
public:
  /// A time that never comes.
  static constexpr std::uint64_t never = UINT64_MAX;

  /// Makes a running service without requests, at time 0.
  explicit OutageService(const OutageOptions& options);

  /// A client asks for a connection, and sends its request over it. Returns false, without any
  /// effect, if there is no room.
  bool connect(std::uint64_t now_us, std::uint32_t client);

  /// A client stops waiting. A client without a connection may call this, too.
  void leave(std::uint32_t client);

  /// When the service next looks at the clock; `never` if it need not.
  std::uint64_t next_look_us() const { return next_look_us_; }

  /// Looks at the clock at `next_look_us()`, and appends the clients that get their answers.
  void look(std::vector<std::uint32_t>& answered);

  /// Stops the process. Its operating system still takes connections while there is room.
  void stop();

  /// Continues the process, and appends the clients that get their answers at once.
  void go_on(std::uint64_t now_us, std::vector<std::uint32_t>& answered);

  /// How many requests the service works on.
  std::uint64_t concurrency() const { return concurrency_; }

  /// How many requests the service finished although their clients had left.
  std::uint64_t lost_work() const { return lost_work_; }

  /// How many requests the service still works on, and will finish, although their clients have
  /// left.
  std::uint64_t worked_on_for_nobody() const;

  /// Returns the mean concurrency since the last call.
  double take_mean_concurrency(std::uint64_t now_us);

  /// Returns the highest concurrency since the last call.
  std::uint64_t take_peak_concurrency();

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint64_t phase_us = 100;
  static constexpr std::uint32_t phases = 501; // the phases of 50.1 ms

  enum class Place : std::uint8_t { nowhere, backlog, worked_on };

  struct Client {
    Place place = Place::nowhere;
    std::uint32_t where = 0;   // its number in the backlog, or that of its cohort
    std::uint32_t next = none; // the next client of its cohort
    std::uint32_t previous = none;
  };

  struct Cohort {
    std::uint64_t since = 0;    // the phase of its acceptance, counted from time 0
    std::uint32_t next = none;  // the next one in its bucket, or the next free one
    std::uint32_t first = none; // the first of its clients
    std::uint32_t last = none;
    std::uint32_t abandoned = 0; // requests whose clients have left
    std::uint32_t bucket = 0;
  };

  struct Bucket {
    std::uint32_t first = none; // the oldest cohort
    std::uint32_t last = none;
    std::uint64_t dropped = 0; // abandoned requests that are dropped at the next look
  };

  void accept(std::uint64_t now_us);
  void work_on(std::uint64_t now_us, std::uint32_t client);
  std::uint32_t cohort_for(std::uint64_t phase);
  void append(Bucket& bucket, std::uint32_t cohort);
  void look_at(Bucket& bucket, std::uint64_t phase, std::vector<std::uint32_t>& answered);
  void finish(Cohort& cohort, std::vector<std::uint32_t>& answered);
  void set_next_look(std::uint64_t phase);
  void mark(std::uint32_t bucket, bool used);
  void change_concurrency(std::uint64_t now_us, std::int64_t by);

  ServiceOptions options_;
  std::vector<Client> clients_;
  std::deque<std::uint32_t> backlog_;    // clients; `none` for one that left
  std::uint32_t taken_from_backlog_ = 0; // in all, modulo 2^32
  std::vector<Cohort> cohorts_;
  std::uint32_t free_cohort_ = none;
  std::array<Bucket, phases> buckets_{};
  std::array<std::uint64_t, (phases + 63) / 64> used_{}; // a bit for each bucket with cohorts
  std::uint64_t next_look_us_ = never;
  std::uint64_t concurrency_ = 0;
  std::uint64_t lost_work_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t changed_us_ = 0; // when the concurrency changed last
  std::uint64_t taken_us_ = 0;   // when the mean was taken last
  double request_us_ = 0;        // the work since then, in requests times microseconds
  bool is_stopped_ = false;
};

} // namespace backoff_actor
