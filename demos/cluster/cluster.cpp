#include "cluster.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_set>
#include <utility>

namespace cluster {

namespace {

using namespace std::chrono_literals;

constexpr auto look_interval = 5ms;
constexpr std::uint64_t most_jobs_of_a_life = 10'000'000;

} // namespace

Cluster::Cluster(const std::filesystem::path& folder, std::string program, WorkerOptions base)
  : service_(folder / "service"), program_(std::move(program)), base_(std::move(base)),
    reader_(folder / "notes") {
  base_.service = service_.path();
  base_.notes = folder / "notes";
}

std::string Cluster::node(std::size_t worker) {
  return std::string(1, static_cast<char>('a' + worker));
}

std::size_t Cluster::add(std::string connection) {
  members_.push_back({connection.empty() ? base_.connection : std::move(connection), nullptr});
  return members_.size() - 1;
}

std::size_t Cluster::add_hand() {
  base_.ports.clear();
  for (auto& member : members_) {
    if (member.offers)
      continue;
    if (!member.port)
      member.port.emplace();
    base_.ports += (base_.ports.empty() ? "" : ",") + std::to_string(member.port->number());
  }
  members_.push_back({.connection = base_.connection, .process = nullptr, .offers = true});
  return members_.size() - 1;
}

void Cluster::start(std::size_t worker) {
  auto& member = members_[worker];
  auto options = base_;
  options.node = node(worker);
  options.first = base_.first + ++lives_ * most_jobs_of_a_life;
  if (member.port)
    options.port = static_cast<std::uint64_t>(member.port->number());
  // Not as an argument, which everybody on the machine can read.
  setenv(connection_variable, member.connection.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
  member.process =
    std::make_unique<example::Process>(command_of(program_, options), example::Process::Streams{});
  unsetenv(connection_variable); // NOLINT(concurrency-mt-unsafe)
  member.is_frozen = false;
  member.is_to_be_quiet = false;
}

void Cluster::kill(std::size_t worker) {
  members_[worker].process = nullptr;
  members_[worker].is_to_be_quiet = false;
  look();
  lost_owner(worker);
}

void Cluster::lost_owner(std::size_t worker) {
  if (owner_ == worker)
    owner_.reset();
}

void Cluster::freeze(std::size_t worker) {
  if (!runs(worker))
    return;
  members_[worker].process->send(SIGSTOP);
  members_[worker].is_frozen = true;
}

void Cluster::thaw(std::size_t worker) {
  if (!runs(worker))
    return;
  members_[worker].process->send(SIGCONT);
  members_[worker].is_frozen = false;
}

void Cluster::quiet(std::size_t worker) {
  if (!runs(worker) || members_[worker].offers)
    return;
  members_[worker].process->send(SIGUSR1);
  members_[worker].is_to_be_quiet = true;
}

bool Cluster::stop(std::size_t worker, backoff_actor::Duration patience) {
  if (!runs(worker))
    return false;
  thaw(worker);
  members_[worker].process->send(SIGTERM);
  const auto has_ended = wait(patience, [&] { return !runs(worker); });
  const auto ending = members_[worker].process->ending();
  kill(worker);
  return has_ended && ending && ending->is_success();
}

bool Cluster::runs(std::size_t worker) {
  const auto& process = members_[worker].process;
  return process && !process->ending();
}

void Cluster::look() {
  for (auto& note : reader_.take()) {
    const auto worker = static_cast<std::size_t>(note.node.at(0) - 'a');
    if (base_.has_lives)
      jobs_with_lives_.take(note);
    if (note.word == "accepted")
      confirm(note);
    else if (note.word == "owns")
      owner_ = worker;
    else if (note.word == "quiet")
      members_[worker].is_to_be_quiet = false;
    else if (note.word == "disowned" || note.word == "stopped")
      lost_owner(worker);
    if (!std::set<std::string>{"accepted", "cancelling", "gone", "began", "said"}.contains(
          note.word))
      notes_.push_back(std::move(note));
  }
}

void Cluster::confirm(const Note& note) {
  std::istringstream words{note.text};
  std::uint64_t job = 0;
  Micros begin = 0;
  words >> job >> begin;
  confirmed_.push_back(job);
  const auto goes_in_turn =
    !base_.has_lives || life_of(job).delay == backoff_actor::Duration::zero();
  if (goes_in_turn)
    submissions_[note.node].push_back({{job}, begin, note.at, true});
}

Verdict Cluster::verdict() const {
  const auto calls = service_.calls();
  auto owed = confirmed_;
  std::erase_if(owed, [this](auto job) { return jobs_with_lives_.may_be_gone(job); });
  auto result = judge(owed, calls);
  for (const auto& [node, submissions] : submissions_) {
    const auto ours = judge_hand_over(submissions, calls);
    if (result.out_of_order == 0 && ours.out_of_order > 0)
      result.first_out_of_order = "submitted at " + node + ": " + ours.first_out_of_order;
    result.out_of_order += ours.out_of_order;
  }
  return result;
}

std::optional<Micros> Cluster::owned_after(Micros at, std::optional<std::size_t> except) const {
  for (const auto& note : notes_)
    if (note.word == "owns" && note.at > at && (!except || note.node != node(*except)))
      return note.at;
  return std::nullopt;
}

bool Cluster::wait(backoff_actor::Duration patience, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    look();
    if (condition())
      return true;
    if (std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(look_interval);
  }
}

bool Cluster::wait_for_owner(backoff_actor::Duration patience) {
  return wait(patience, [&] { return owner_.has_value(); });
}

bool Cluster::wait_until_done(backoff_actor::Duration patience) {
  std::unordered_set<std::uint64_t> done;
  std::size_t seen = 0;
  return wait(patience, [&] {
    const auto calls = service_.calls(seen);
    seen += calls.size();
    for (const auto& call : calls)
      if (!call.is_refused && call.step == 0)
        done.insert(call.job);
    // A job that is still to be confirmed would come too late for this look.
    const auto is_awaited = [](const Member& x) { return x.is_to_be_quiet; };
    if (std::any_of(members_.begin(), members_.end(), is_awaited))
      return false;
    return std::all_of(confirmed_.begin(), confirmed_.end(), [&](auto job) {
      return done.contains(job) || jobs_with_lives_.may_be_gone(job);
    });
  });
}

} // namespace cluster
