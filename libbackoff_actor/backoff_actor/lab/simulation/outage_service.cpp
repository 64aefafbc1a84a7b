#include "backoff_actor/lab/simulation/internal/outage_service.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace backoff_actor {

OutageService::OutageService(const OutageOptions& options)
  : options_(options.service), clients_(options.clients) {}

// -- clients -----------------------------------------------------------------------------------

bool OutageService::connect(std::uint64_t now_us, std::uint32_t client) {
  const auto is_accepted_at_once =
    !is_stopped_ && backlog_.empty()
    && (!options_.max_concurrency || concurrency_ < *options_.max_concurrency);
  if (is_accepted_at_once) {
    work_on(now_us, client);
    return true;
  }
  if (backlog_.size() >= options_.backlog)
    return false;
  clients_[client].place = Place::backlog;
  clients_[client].where = taken_from_backlog_ + static_cast<std::uint32_t>(backlog_.size());
  backlog_.push_back(client);
  return true;
}

void OutageService::leave(std::uint32_t client) {
  auto& leaver = clients_[client];
  if (leaver.place == Place::backlog)
    backlog_[leaver.where - taken_from_backlog_] = none;
  if (leaver.place == Place::worked_on) {
    auto& cohort = cohorts_[leaver.where];
    (leaver.previous == none ? cohort.first : clients_[leaver.previous].next) = leaver.next;
    (leaver.next == none ? cohort.last : clients_[leaver.next].previous) = leaver.previous;
    if (options_.abandoned_work == AbandonedWork::kept)
      ++cohort.abandoned;
    else
      ++buckets_[cohort.bucket].dropped;
  }
  leaver.place = Place::nowhere;
}

// -- accepting ---------------------------------------------------------------------------------

void OutageService::accept(std::uint64_t now_us) {
  while (!backlog_.empty()
         && (!options_.max_concurrency || concurrency_ < *options_.max_concurrency)) {
    const auto client = backlog_.front();
    backlog_.pop_front();
    ++taken_from_backlog_;
    work_on(now_us, client);
  }
}

// Begins to work on a request. `none` stands for a client that has left without the service's
// knowledge.
void OutageService::work_on(std::uint64_t now_us, std::uint32_t client) {
  const auto number = cohort_for(now_us / phase_us);
  auto& cohort = cohorts_[number];
  change_concurrency(now_us, 1);
  if (client == none) {
    if (options_.abandoned_work == AbandonedWork::kept)
      ++cohort.abandoned;
    else
      ++buckets_[cohort.bucket].dropped;
    return;
  }
  clients_[client] = {Place::worked_on, number, none, cohort.last};
  (cohort.last == none ? cohort.first : clients_[cohort.last].next) = client;
  cohort.last = client;
}

std::uint32_t OutageService::cohort_for(std::uint64_t phase) {
  const auto place = static_cast<std::uint32_t>(phase % phases);
  auto& bucket = buckets_[place];
  if (bucket.last != none && cohorts_[bucket.last].since == phase)
    return bucket.last;
  auto number = free_cohort_;
  if (number == none) {
    number = static_cast<std::uint32_t>(cohorts_.size());
    cohorts_.emplace_back();
  } else {
    free_cohort_ = cohorts_[number].next;
    cohorts_[number] = {};
  }
  cohorts_[number].since = phase;
  append(bucket, number);
  if (next_look_us_ == never)
    next_look_us_ = (phase + phases) * phase_us;
  return number;
}

void OutageService::append(Bucket& bucket, std::uint32_t cohort) {
  const auto place = static_cast<std::uint32_t>(&bucket - buckets_.data());
  cohorts_[cohort].bucket = place;
  cohorts_[cohort].next = none;
  (bucket.last == none ? bucket.first : cohorts_[bucket.last].next) = cohort;
  bucket.last = cohort;
  mark(place, true);
}

// -- looking at the clock ----------------------------------------------------------------------

void OutageService::look(std::vector<std::uint32_t>& answered) {
  const auto phase = next_look_us_ / phase_us;
  look_at(buckets_[phase % phases], phase, answered);
  if (options_.max_concurrency)
    accept(next_look_us_);
  set_next_look(phase);
}

void OutageService::look_at(Bucket& bucket, std::uint64_t phase,
                            std::vector<std::uint32_t>& answered) {
  change_concurrency(phase * phase_us, -static_cast<std::int64_t>(bucket.dropped));
  bucket.dropped = 0;
  while (bucket.first != none) {
    auto& cohort = cohorts_[bucket.first];
    const auto has_requests = cohort.first != none || cohort.abandoned != 0;
    const auto elapsed = std::chrono::microseconds{(phase - cohort.since) * phase_us};
    if (has_requests && elapsed <= service_time(options_, concurrency_))
      return;
    finish(cohort, answered);
    const auto done = bucket.first;
    bucket.first = cohort.next;
    cohort.next = free_cohort_;
    free_cohort_ = done;
  }
  bucket.last = none;
  mark(static_cast<std::uint32_t>(&bucket - buckets_.data()), false);
}

void OutageService::finish(Cohort& cohort, std::vector<std::uint32_t>& answered) {
  std::int64_t count = cohort.abandoned;
  lost_work_ += cohort.abandoned;
  for (auto client = cohort.first; client != none; client = clients_[client].next) {
    clients_[client].place = Place::nowhere;
    answered.push_back(client);
    ++count;
  }
  change_concurrency(changed_us_, -count);
}

// Finds the first bucket with cohorts after this phase.
void OutageService::set_next_look(std::uint64_t phase) {
  const auto here = static_cast<std::uint32_t>(phase % phases);
  for (std::uint32_t i = 1; i <= phases;) {
    const auto place = (here + i) % phases;
    const auto rest = used_[place / 64] >> (place % 64);
    if (rest == 0) { // go on to the next word, or to the first
      i += std::min(64 - place % 64, phases - place);
      continue;
    }
    const auto ahead = static_cast<std::uint32_t>(std::countr_zero(rest));
    next_look_us_ = (phase + i + ahead) * phase_us;
    return;
  }
  next_look_us_ = never;
}

void OutageService::mark(std::uint32_t bucket, bool used) {
  const auto bit = std::uint64_t{1} << (bucket % 64);
  auto& word = used_[bucket / 64];
  word = used ? word | bit : word & ~bit;
}

// -- the outage --------------------------------------------------------------------------------

void OutageService::stop() {
  is_stopped_ = true;
  next_look_us_ = never;
}

void OutageService::go_on(std::uint64_t now_us, std::vector<std::uint32_t>& answered) {
  is_stopped_ = false;
  const auto phase = now_us / phase_us;
  std::vector<std::uint32_t> all;
  Bucket merged;
  for (auto& bucket : buckets_) {
    for (auto cohort = bucket.first; cohort != none; cohort = cohorts_[cohort].next)
      all.push_back(cohort);
    merged.dropped += bucket.dropped;
    bucket = {};
  }
  used_ = {};
  std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    return cohorts_[a].since < cohorts_[b].since;
  });
  auto& bucket = buckets_[phase % phases];
  for (const auto cohort : all)
    append(bucket, cohort);
  bucket.dropped = merged.dropped;
  if (!all.empty())
    look_at(bucket, phase, answered);
  accept(now_us);
  set_next_look(phase);
}

// -- statistics --------------------------------------------------------------------------------

void OutageService::change_concurrency(std::uint64_t now_us, std::int64_t by) {
  // A look is timed at the beginning of its phase. If the service continued later within that
  // phase, `now_us` is before the last change.
  const auto at_us = std::max(now_us, changed_us_);
  request_us_ += static_cast<double>(concurrency_) * static_cast<double>(at_us - changed_us_);
  changed_us_ = at_us;
  concurrency_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(concurrency_) + by);
  peak_ = std::max(peak_, concurrency_);
}

std::uint64_t OutageService::worked_on_for_nobody() const {
  std::uint64_t result = 0;
  for (const auto& bucket : buckets_)
    for (auto cohort = bucket.first; cohort != none; cohort = cohorts_[cohort].next)
      result += cohorts_[cohort].abandoned;
  return result;
}

double OutageService::take_mean_concurrency(std::uint64_t now_us) {
  change_concurrency(now_us, 0);
  const auto span_us = static_cast<double>(now_us - taken_us_);
  const auto mean = span_us > 0 ? request_us_ / span_us : static_cast<double>(concurrency_);
  taken_us_ = now_us;
  request_us_ = 0;
  return mean;
}

std::uint64_t OutageService::take_peak_concurrency() {
  const auto peak = std::max(peak_, concurrency_);
  peak_ = concurrency_;
  return peak;
}

} // namespace backoff_actor
