#pragma once

#include "common/random_walk.hpp"
#include "strange_message.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test::sender_walk {

using test::require;

enum class Action : std::uint8_t {
  request,
  plain_send,
  fault,
  stranger,
  advance,
  crash, // of a worker, by whoever sends it an exit message
  end,   // of a sender or a supervisor
  freeze,
  thaw,
};

inline constexpr test::Choice<Action> actions[] = {
  {6, Action::request, "request"}, {3, Action::plain_send, "plain_send"},
  {5, Action::fault, "fault"},     {8, Action::stranger, "stranger"},
  {4, Action::advance, "advance"}, {2, Action::crash, "crash"},
  {1, Action::end, "end"},         {1, Action::freeze, "freeze"},
  {1, Action::thaw, "thaw"}};

using Step = test::DrawnStep<Action, actions>;

class Walk {
public:
  explicit Walk(const Conditions& conditions) : conditions_(conditions) {
    for (int i = 0; i < 2; ++i) {
      desks_.push_back(std::make_shared<Desk>());
      desks_.back()->conditions = conditions;
    }
    if (conditions.shape == Conditions::Shape::alone
        || conditions.shape == Conditions::Shape::nested)
      start_alone();
    else
      start_supervised();
    time_.run();
  }

  void take(const Step& step) {
    const auto how = step.number;
    switch (step.action) {
    case Action::request:
    case Action::plain_send:
      submit(how, step.action == Action::request);
      break;
    case Action::fault:
      desk(how)->faults.push_back(static_cast<Fault>(how / 2 % 5));
      break;
    case Action::stranger:
      speak(how);
      break;
    case Action::advance:
      time_.advance(std::chrono::milliseconds{how % 97});
      break;
    case Action::crash:
      if (const auto worker = desk(how)->worker())
        time_.tell(worker, caf::exit_msg{{},
                                         how % 3 == 0 ? caf::error{caf::exit_reason::kill}
                                                      : caf::make_error(caf::sec::runtime_error)});
      break;
    case Action::end:
      if (conditions_.may_end)
        end_somebody(how);
      break;
    case Action::freeze:
      if (const auto worker = desk(how)->worker(); worker && conditions_.may_freeze) {
        frozen_.push_back(worker);
        time_.freeze(worker);
      }
      break;
    case Action::thaw:
      thaw();
      break;
    }
    if (how % 5 > 1) // otherwise messages pile up
      time_.run();
    look();
  }

  void finish() {
    heal();
    for (const auto& [number, client] : clients_)
      require(!client.by_request || client.answers->count() == 1,
              "request " + std::to_string(number) + " is answered, once");
    if (!conditions_.may_end)
      for (const auto& has_ended : ended_)
        require(!*has_ended, "nobody ends who was not told to");
    for (const auto& actor : top_)
      time_.tell(actor, Stop{});
    time_.advance(1h);
    for (const auto& desk : desks_)
      require(desk->alive == 0, "no worker outlives its sender");
    look();
    top_.clear();
    time_.run();
    require(time_.timers() == 0, "no timer is left");
  }

private:
  struct Client {
    std::shared_ptr<WalkClient::Answers> answers;
    bool by_request;
  };

  // -- who there is ----------------------------------------------------------------------

  SenderBlueprint sender_of(ChildFactory child, bool is_outer = false) const {
    SenderOptions options;
    options.seed = 1;
    options.stream = 0;
    options.kill_grace = 200ms;
    if (!is_outer || !is_nested(conditions_.shape)) {
      options.acknowledgement = conditions_.acknowledgement;
      if (conditions_.has_ack_timeout)
        options.ack_timeout = 100ms;
    }
    return SenderBlueprint{std::move(child), options};
  }

  static bool is_nested(Conditions::Shape shape) {
    return shape == Conditions::Shape::nested || shape == Conditions::Shape::nested_and_supervised;
  }

  ChildFactory worker_of(std::size_t i) const {
    return [desk = desks_[i]](caf::event_based_actor* sender) -> caf::actor {
      return desk->conditions.is_linked
               ? sender->spawn<WalkWorker, caf::linked>(desk, sender->address())
               : sender->spawn<WalkWorker>(desk, sender->address());
    };
  }

  // What a sender is made of: a worker, or a sender of a worker.
  ChildFactory child_of_sender(std::size_t i) {
    if (!is_nested(conditions_.shape))
      return worker_of(i);
    return [this, make = child_of(sender_of(worker_of(i)))](caf::event_based_actor* outer) {
      const auto sender = make(outer);
      senders_.push_back(sender->address());
      return sender;
    };
  }

  void start_alone() {
    for (std::size_t i = 0; i < desks_.size(); ++i) {
      top_.push_back(time_.keep(sender_of(child_of_sender(i), true).spawn(time_.system())));
      clients_of_.push_back([actor = top_.back()] { return actor; });
      watch(top_.back());
      senders_.push_back(top_.back()->address());
    }
  }

  void start_supervised() {
    std::vector<ChildSpec> specs;
    for (std::size_t i = 0; i < desks_.size(); ++i) {
      const auto present = std::make_shared<caf::actor_addr>();
      ChildSpec spec;
      spec.id = std::to_string(i);
      spec.make = [this, present, make = child_of(sender_of(child_of_sender(i), true))](
                    caf::event_based_actor* supervisor) {
        const auto sender = make(supervisor);
        *present = sender->address();
        senders_.push_back(*present);
        return sender;
      };
      spec.options.backoff = Fixed{.delay = 10ms};
      spec.options.shutdown = Shutdown::within(500ms);
      specs.push_back(std::move(spec));
      clients_of_.push_back([present] { return caf::actor_cast<caf::actor>(*present); });
    }
    SupervisorOptions options;
    options.strategy = conditions_.strategy;
    options.restart_limit = std::nullopt;
    top_.push_back(time_.keep(spawn_supervisor(time_.system(), std::move(specs), options)));
    watch(top_.back());
    senders_.push_back(top_.back()->address());
  }

  void watch(const caf::actor& whom) {
    ended_.push_back(std::make_shared<bool>(false));
    time_.keep(time_.system().spawn<WalkWatcher>(whom, ended_.back()));
  }

  std::shared_ptr<Desk> desk(std::uint32_t how) const { return desks_[how % desks_.size()]; }

  // -- actions -----------------------------------------------------------------------------

  void submit(std::uint32_t how, bool by_request) {
    const auto sender = clients_of_[how % clients_of_.size()]();
    if (!sender)
      return;
    const auto number = ++last_number_;
    const auto answers = std::make_shared<WalkClient::Answers>();
    clients_[number] = {answers, by_request};
    time_.spawn<WalkClient>(sender, number, by_request, answers);
  }

  // Anybody: a sender, a supervisor, a worker; those that have ended too.
  caf::actor somebody(std::uint32_t how) const {
    std::vector<caf::actor_addr> all = senders_;
    for (const auto& desk : desks_)
      all.insert(all.end(), desk->of.begin(), desk->of.end());
    return caf::actor_cast<caf::actor>(all[how % all.size()]);
  }

  void speak(std::uint32_t how) {
    const auto to = somebody(how / 31);
    if (!to)
      return;
    const auto what = strange_message(how, somebody(how / 7), conditions_.may_end);
    time_.spawn<WalkStranger>(
      to, what, how / 3 % 3 == 0 ? WalkStranger::How::request : WalkStranger::How::plain_send);
  }

  void end_somebody(std::uint32_t how) {
    const auto whom = caf::actor_cast<caf::actor>(senders_[how / 8 % senders_.size()]);
    if (!whom)
      return;
    if (how % 4 == 0)
      time_.tell(whom, Stop{how % 8 == 0 ? 0ms : std::chrono::milliseconds{how % 100}});
    else
      time_.tell(whom, caf::exit_msg{{},
                                     how % 4 == 1   ? caf::error{caf::exit_reason::kill}
                                     : how % 4 == 2 ? caf::error{caf::exit_reason::user_shutdown}
                                                    : caf::make_error(caf::sec::runtime_error)});
  }

  void thaw() {
    for (const auto& worker : std::exchange(frozen_, {}))
      time_.thaw(worker);
  }

  // -- what must hold --------------------------------------------------------------------

  void look() {
    for (const auto& [number, client] : clients_) {
      const auto& values = client.answers->values;
      require(client.answers->count() <= 1, "nobody is answered twice");
      for (const auto value : values) {
        require(value == number, "an answer is that of the number");
        require(std::any_of(desks_.begin(), desks_.end(),
                            [&](const auto& desk) { return desk->done.count(value) == 1; }),
                "what is answered was done");
      }
    }
    if (!conditions_.may_end && !conditions_.may_freeze)
      for (const auto& desk : desks_)
        require(!desk->had_twins, "two workers of one sender are never alive");
  }

  // Whoever waits gets what it waits for.
  void heal() {
    thaw();
    for (int round = 0; round < 3; ++round) {
      for (const auto& desk : desks_) {
        desk->faults.clear();
        if (const auto worker = desk->worker()) // which may keep something for ever
          time_.tell(worker, caf::exit_msg{{}, caf::exit_reason::kill});
      }
      for (const auto& address : senders_)
        if (const auto sender = caf::actor_cast<caf::actor>(address))
          time_.tell(sender, Resume{});
      time_.advance(1h);
    }
  }

  VirtualTime time_{register_test_types};
  Conditions conditions_;
  std::vector<std::shared_ptr<Desk>> desks_;
  std::vector<caf::actor> top_;
  std::vector<std::function<caf::actor()>> clients_of_;
  std::vector<caf::actor_addr> senders_; // and supervisors, all that ever were
  std::vector<std::shared_ptr<bool>> ended_;
  std::vector<caf::actor> frozen_;
  std::map<std::uint64_t, Client> clients_;
  std::uint64_t last_number_ = 0;
};

} // namespace backoff_actor::actor_test::sender_walk
