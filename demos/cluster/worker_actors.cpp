#include "worker_actors.hpp"

#include "lives.hpp"
#include "local_socket.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace cluster {

namespace {

using namespace std::chrono_literals;

constexpr auto tick = 10ms;
constexpr auto between_looks = 50ms; // whether this process owns the outbox now
constexpr std::uint64_t most_unanswered = 5000;

// One of the threads that call the service.
class Caller {
public:
  Caller(std::string service, std::string node)
    : socket_(connect_to(service)), node_(std::move(node)) {}

  bool do_step(const backoff_actor::TrackedMsg& x, std::uint64_t keys, std::uint64_t step,
               bool is_out_of_turn) {
    const auto job = x.payload.get_as<std::uint64_t>(0);
    const auto is_of_calendar = job >= calendar_jobs;
    const Call call{.epoch = x.epoch,
                    .delivery = x.delivery,
                    .job = is_of_calendar ? calendar_job(x.delivery) : job,
                    .key = is_of_calendar ? "entry-" + std::to_string(job - calendar_jobs)
                                          : std::to_string(job % keys),
                    .node = node_,
                    .step = step,
                    .is_out_of_turn = is_out_of_turn};
    if (!send_text(socket_.get(), to_line(call)))
      throw std::runtime_error("the service does not take the call");
    for (;;) {
      if (const auto line = reader_.next())
        return *line == "done";
      if (!reader_.read_from(socket_.get()))
        throw std::runtime_error("the service does not answer");
    }
  }

private:
  example::FileDescriptor socket_;
  LineReader reader_;
  std::string node_;
};

// [child]
caf::behavior service_caller(caf::event_based_actor* self, const WorkerOptions& options,
                             const std::shared_ptr<const NoteWriter>& notes) {
  const auto caller = std::make_shared<Caller>(options.service, options.node);
  const auto call = [=](const backoff_actor::TrackedMsg& x, const Life& life, std::uint64_t step) {
    if (!caller->do_step(x, options.keys, step, life.delay > 0s))
      throw std::runtime_error("epoch " + std::to_string(x.epoch) + " is over");
  };
  return {[=](const backoff_actor::TrackedMsg& x) {
            const auto job = x.payload.get_as<std::uint64_t>(0);
            const auto life = options.has_lives ? life_of(job) : Life{};
            auto step = x.note.empty() ? 0 : std::stoull(x.note);
            const auto tell = [&](const char* word) {
              notes->write(word, std::to_string(job) + ' ' + std::to_string(step) + ' '
                                   + std::to_string(x.delivery) + ' ' + std::to_string(x.epoch));
            };
            if (life.steps > 1)
              tell("began");
            while (++step < life.steps) {
              std::this_thread::sleep_for(step_of_a_job);
              call(x, life, step);
              tell("said");
              backoff_actor::compat::send(*self,
                                          caf::actor_cast<caf::actor>(self->current_sender()),
                                          backoff_actor::Working{x.id, std::to_string(step)});
            }
            std::this_thread::sleep_for(options.work);
            call(x, life, 0);
            return backoff_actor::sent(x);
          },
          [](const backoff_actor::Cancelled&) {}}; // by then it is done
}
// [child]

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor jobs, const WorkerOptions& options,
         std::shared_ptr<const NoteWriter> notes, const std::atomic<bool>* quiet)
    : event_based_actor(config), jobs_(std::move(jobs)), rate_(options.rate), keys_(options.keys),
      next_(options.first), has_lives_(options.has_lives), notes_(std::move(notes)),
      is_quiet_(quiet) {}

  caf::behavior make_behavior() override {
    delayed_send(this, tick, caf::tick_atom_v);
    last_ = cluster::now();
    return {[this](caf::tick_atom) { work(); }};
  }

private:
  void work() {
    const auto present = cluster::now();
    const auto passed = std::min<Micros>(present - last_, 100'000); // it may have been frozen
    last_ = present;
    auto pause = std::chrono::milliseconds{tick};
    if (is_quiet_->load()) {
      due_ = 0;
      if (unanswered_ == 0 && !std::exchange(has_told_quiet_, true))
        notes_->write("quiet");
    } else if (owns_) {
      due_ += static_cast<double>(passed) * static_cast<double>(rate_) / 1e6;
      for (; due_ >= 1 && unanswered_ < most_unanswered; due_ -= 1)
        submit();
    } else if (unanswered_ == 0) {
      submit(); // does it own the outbox now?
      pause = between_looks;
    }
    delayed_send(this, pause, caf::tick_atom_v);
  }

  void submit() {
    const auto job = next_++;
    const auto begin = cluster::now();
    const auto life = has_lives_ ? life_of(job) : Life{};
    backoff_actor::Submit how;
    how.message = caf::make_message(job);
    how.key = std::to_string(job % keys_);
    how.delay = life.delay;
    if (life.is_cancelled)
      how.idempotency_key = std::to_string(job);
    how.answer_when_accepted = true;
    ++unanswered_;
    request(jobs_, caf::infinite, std::move(how))
      .then(
        [this, job, begin, life](const backoff_actor::Accepted& accepted) {
          notes_->write("accepted", std::to_string(job) + ' ' + std::to_string(begin));
          --unanswered_;
          owns_ = accepted.id != 0; // 0: it was handed over to the owner
          if (life.is_cancelled)
            cancel(job);
        },
        [this](const caf::error&) { // nobody was promised anything
          --unanswered_;
          owns_ = false;
        });
  }

  void cancel(std::uint64_t job) {
    notes_->write("cancelling", std::to_string(job));
    ++unanswered_;
    request(jobs_, caf::infinite, backoff_actor::Cancel{.idempotency_key = std::to_string(job)})
      .then(
        [this, job](const backoff_actor::CancelAnswer& answer) {
          --unanswered_;
          if (answer.found == backoff_actor::CancelFound::waiting)
            notes_->write("gone", std::to_string(job));
        },
        [this](const caf::error&) { --unanswered_; });
  }

  caf::actor jobs_;
  std::uint64_t rate_;
  std::uint64_t keys_;
  std::uint64_t next_;
  bool has_lives_;
  std::shared_ptr<const NoteWriter> notes_;
  const std::atomic<bool>* is_quiet_;
  bool owns_ = false;
  bool has_told_quiet_ = false;
  double due_ = 0; // jobs that are to be submitted by now
  std::uint64_t unanswered_ = 0;
  Micros last_ = 0;
};

} // namespace

backoff_actor::ChildFactory service_callers(const WorkerOptions& options,
                                            const std::shared_ptr<const NoteWriter>& notes) {
  return backoff_actor::child_of<caf::detached>(service_caller, options, notes);
}

caf::message read_order(std::span<const std::byte> json) {
  const std::string_view text{reinterpret_cast<const char*>(json.data()), json.size()};
  constexpr std::string_view field = "\"order\"";
  const auto found = text.find(field);
  if (found == text.npos)
    throw std::invalid_argument("an order has no number");
  const auto begin = text.find_first_not_of(" :", found + field.size());
  std::uint64_t order = 0;
  if (begin == text.npos
      || std::from_chars(text.data() + begin, text.data() + text.size(), order).ec != std::errc{})
    throw std::invalid_argument("an order has a number that is none");
  return caf::make_message(order);
}

caf::message read_entry(std::span<const std::byte> number) {
  const std::string text{reinterpret_cast<const char*>(number.data()), number.size()};
  return caf::make_message(calendar_jobs + std::stoull(text));
}

caf::actor spawn_client(caf::actor_system& system, const caf::actor& sender,
                        const WorkerOptions& options, std::shared_ptr<const NoteWriter> notes,
                        const std::atomic<bool>& quiet) {
  return system.spawn<Client>(sender, options, std::move(notes), &quiet);
}

} // namespace cluster
