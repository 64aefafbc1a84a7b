#include "lives.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace cluster {

Life life_of(std::uint64_t job) {
  using namespace std::chrono_literals;
  if (job >= calendar_jobs)
    return {};
  switch (job % 64) {
  case 3:
  case 19:
  case 35:
  case 51:
    return {.delay = 700ms};
  case 7:
  case 23:
  case 39:
  case 55:
    return {.delay = 500ms, .is_cancelled = true};
  case 11:
  case 27:
  case 43:
  case 59:
    return {.is_cancelled = true};
  case 15:
    return {.steps = 3};
  default:
    return {};
  }
}

void Lives::take(const Note& note) {
  std::istringstream words{note.text};
  std::uint64_t job = 0;
  words >> job;
  if (note.word == "accepted") {
    Micros begin = 0;
    words >> begin;
    if (const auto life = life_of(job); life.delay > backoff_actor::Duration::zero())
      not_before_[job] =
        begin + std::chrono::duration_cast<std::chrono::microseconds>(life.delay).count();
  } else if (note.word == "cancelling") {
    cancelled_.insert(job);
  } else if (note.word == "gone") {
    gone_[job] = note.at;
  } else if (note.word == "said") {
    words >> said_[job];
    most_said_[job] = std::max(most_said_[job], said_[job]);
  } else if (note.word == "began") {
    std::uint64_t got = 0;
    std::uint64_t delivery = 0;
    std::uint64_t epoch = 0;
    words >> got >> delivery >> epoch;
    beginnings_.push_back({got, delivery, epoch});
    const auto found = said_.find(job);
    const auto last = found == said_.end() ? 0 : found->second;
    told_.notes += last > 0 || got > 0 ? 1U : 0U;
    told_.notes_of_others += got > most_said_[job] ? 1U : 0U; // a stale owner may have begun, too
    told_.notes_behind += got < last ? 1U : 0U;
    said_[job] = got; // it goes on from there
  }
}

LifeVerdict Lives::judge(const std::vector<Call>& calls,
                         const std::vector<StoredNote>& stored) const {
  auto result = told_;
  result.delayed = not_before_.size();
  result.gone = gone_.size();
  for (const auto& call : calls) {
    if (call.is_refused)
      continue;
    if (const auto found = not_before_.find(call.job); found != not_before_.end())
      result.early += call.at < found->second ? 1U : 0U;
    if (const auto found = gone_.find(call.job); found != gone_.end())
      result.done_when_gone += call.at > found->second ? 1U : 0U;
  }
  std::unordered_map<std::uint64_t, std::vector<StoredNote>> stored_of;
  for (const auto& x : stored)
    stored_of[x.delivery].push_back(x);
  for (const auto& x : beginnings_) {
    std::uint64_t last = 0;
    for (const auto& note : stored_of[x.delivery])
      if (note.epoch < x.epoch)
        last = note.step;
    result.notes_behind_stored += x.got < last ? 1U : 0U;
  }
  return result;
}

std::string to_string(const LifeVerdict& verdict) {
  std::ostringstream text;
  text << "delayed " << verdict.delayed << ", early " << verdict.early << ", cancelled "
       << verdict.gone << ", done when gone " << verdict.done_when_gone << ", notes "
       << verdict.notes << ", older than the last " << verdict.notes_behind
       << ", older than the last stored " << verdict.notes_behind_stored
       << ", of no earlier worker " << verdict.notes_of_others;
  return text.str();
}

} // namespace cluster
