// Random walks through whole senders and supervisors in virtual time. Strangers send any message to anybody at any
// time, workers crash, refuse, quit, cling to their senders and linger, and everybody may be told to end at any moment. A
// failing walk is shrunk; RC_PARAMS="reproduce=..." has it again.

#include "world.hpp"

#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <rapidcheck.h>

#include <map>
#include <ostream>
#include <string>

namespace backoff_actor::actor_test::sender_walk {

namespace {

using Shape = Conditions::Shape;

enum class Deed : std::uint8_t {
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

struct Step {
  Deed deed;
  std::uint32_t how; // 0..9999
};

void showValue(const Step& step, std::ostream& out) {
  constexpr const char* names[] = {"request", "plain_send", "fault",  "stranger", "advance",
                                   "crash",   "end",        "freeze", "thaw"};
  out << names[static_cast<std::size_t>(step.deed)] << ' ' << step.how;
}

template <class T>
rc::Gen<T> any_below(T end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(0, end));
}

rc::Gen<Step> any_step() {
  return rc::gen::build<Step>(
    rc::gen::set(&Step::deed, rc::gen::weightedElement<Deed>({{6, Deed::request},
                                                              {3, Deed::plain_send},
                                                              {5, Deed::fault},
                                                              {8, Deed::stranger},
                                                              {4, Deed::advance},
                                                              {2, Deed::crash},
                                                              {1, Deed::end},
                                                              {1, Deed::freeze},
                                                              {1, Deed::thaw}})),
    rc::gen::set(&Step::how, any_below<std::uint32_t>(10'000)));
}

void require(bool holds, const std::string& claim) {
  if (!holds)
    RC_FAIL("not so: " + claim);
}

class Walk {
public:
  explicit Walk(const Conditions& conditions) : conditions_(conditions) {
    for (int i = 0; i < 2; ++i) {
      desks_.push_back(std::make_shared<Desk>());
      desks_.back()->conditions = conditions;
    }
    if (conditions.shape == Shape::alone || conditions.shape == Shape::nested)
      start_alone();
    else
      start_supervised();
    time_.run();
  }

  void take(const Step& step) {
    const auto how = step.how;
    switch (step.deed) {
    case Deed::request:
    case Deed::plain_send:
      submit(how, step.deed == Deed::request);
      break;
    case Deed::fault:
      desk(how)->faults.push_back(static_cast<Fault>(how / 2 % 5));
      break;
    case Deed::stranger:
      speak(how);
      break;
    case Deed::advance:
      time_.advance(std::chrono::milliseconds{how % 97});
      break;
    case Deed::crash:
      if (const auto worker = desk(how)->worker())
        time_.tell(worker, caf::exit_msg{{},
                                         how % 3 == 0 ? caf::error{caf::exit_reason::kill}
                                                      : caf::make_error(caf::sec::runtime_error)});
      break;
    case Deed::end:
      if (conditions_.may_end)
        end_somebody(how);
      break;
    case Deed::freeze:
      if (const auto worker = desk(how)->worker(); worker && conditions_.may_freeze) {
        frozen_.push_back(worker);
        time_.freeze(worker);
      }
      break;
    case Deed::thaw:
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
    if (conditions_.delivery == Guarantee::at_most_once) {
      ForwarderOptions forwarder;
      detail::copy_common_options(options, forwarder);
      return SenderBlueprint{std::move(child), forwarder};
    }
    if (!is_outer || !is_nested(conditions_.shape)) {
      options.acknowledgement = conditions_.acknowledgement;
      if (conditions_.has_ack_timeout)
        options.ack_timeout = 100ms;
    }
    return SenderBlueprint{std::move(child), options};
  }

  static bool is_nested(Shape shape) {
    return shape == Shape::nested || shape == Shape::nested_and_supervised;
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

  // -- deeds -----------------------------------------------------------------------------

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

  caf::message message(std::uint32_t how) const {
    const auto whom = somebody(how / 7);
    const auto address = whom ? whom.address() : caf::actor_addr{};
    const auto error = caf::make_error(caf::sec::runtime_error);
    const auto id = std::uint64_t{how} * 0x9e3779b97f4a7c15U;
    switch (how % 31) {
    case 0:
      return caf::make_message(Status{});
    case 1:
      return caf::make_message(Pause{});
    case 2:
      return caf::make_message(Resume{});
    case 3:
      return caf::make_message(RetryNow{});
    case 4:
      return caf::make_message(Reset{});
    case 5:
      return caf::make_message(Drain{std::chrono::milliseconds{how % 50}});
    case 6:
      return caf::make_message(CurrentChild{});
    case 7:
      return caf::make_message(Sent{id, caf::make_message(std::uint64_t{0})});
    case 8:
      return caf::make_message(Nack{id, error});
    case 9:
      return caf::make_message(Reject{id, error});
    case 10:
      return caf::make_message(Working{id});
    case 11:
      return caf::make_message(WakeUp{});
    case 12:
      return caf::make_message(GuardClosed{});
    case 13:
      return caf::make_message(StoreNews{});
    case 14:
      return caf::make_message(StartNews{how % 5});
    case 15:
      return caf::make_message(caf::exit_msg{address, caf::exit_reason::normal});
    case 16: // about somebody who is nothing to a sender, this is an order to end
      return conditions_.may_end ? caf::make_message(caf::exit_msg{address, error})
                                 : caf::make_message(caf::exit_msg{});
    case 17:
      return caf::make_message(caf::down_msg{address, error});
    case 18:
      return caf::make_message(error);
    case 19:
      return caf::make_message(caf::ok_atom_v, caf::get_atom_v, std::string{"a"});
    case 20:
      return caf::make_message(std::string{"a"});
    case 21:
      return caf::message{};
    case 22:
      return caf::make_message(Submit{caf::make_message(std::string{"a"})});
    case 23:
      return caf::make_message(TrackedMsg{id, caf::make_message(std::string{"a"})});
    case 24:
      return caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"});
    case 25:
      return caf::make_message(whom, std::string{"a"});
    case 26:
      return caf::make_message(GetTree{});
    case 27:
      return caf::make_message(WhichChildren{});
    case 28:
      return caf::make_message(RestartChild{std::to_string(how % 3)});
    case 29:
      return caf::make_message(RetryChildNow{std::to_string(how % 3)});
    default:
      return caf::make_message(AwaitUp{});
    }
  }

  void speak(std::uint32_t how) {
    const auto to = somebody(how / 31);
    if (!to)
      return;
    if (how / 3 % 3 == 0)
      time_.spawn<WalkStranger>(to, message(how), WalkStranger::How::request);
    else
      time_.spawn<WalkStranger>(to, message(how), WalkStranger::How::plain_send);
  }

  void end_somebody(std::uint32_t how) {
    const auto whom = caf::actor_cast<caf::actor>(senders_[how / 8 % senders_.size()]);
    if (!whom)
      return;
    if (how % 4 == 0)
      time_.tell(whom, Stop{});
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

Conditions any_conditions(Shape shape) {
  Conditions x;
  x.shape = shape;
  x.delivery = *any_below(4) == 0 ? Guarantee::at_most_once : Guarantee::at_least_once;
  if (x.delivery == Guarantee::at_least_once && *any_below(2) == 0)
    x.acknowledgement = Acknowledgement::by_sent;
  x.strategy = static_cast<Strategy>(*any_below(3));
  x.has_ack_timeout = x.delivery == Guarantee::at_least_once && *any_below(2) == 0;
  x.clings = *any_below(3) == 0;
  x.is_linked = *any_below(3) == 0;
  x.lingers = *any_below(3) == 0;
  x.may_end = *any_below(2) == 0;
  x.may_freeze = *any_below(3) == 0;
  return x;
}

void walk(Shape shape) {
  Walk walk{any_conditions(shape)};
  const auto steps = *rc::gen::scale(1.5, rc::gen::container<std::vector<Step>>(any_step()));
  for (const auto& step : steps)
    walk.take(step);
  walk.finish();
}

} // namespace

TEST(strangers_walk, holds_for_senders_of_workers) {
  EXPECT_TRUE(rc::check("holds_for_senders_of_workers", [] { walk(Shape::alone); }));
}

TEST(strangers_walk, holds_for_senders_of_senders) {
  EXPECT_TRUE(rc::check("holds_for_senders_of_senders", [] { walk(Shape::nested); }));
}

TEST(strangers_walk, holds_for_senders_below_a_supervisor) {
  EXPECT_TRUE(rc::check("holds_for_senders_below_a_supervisor", [] { walk(Shape::supervised); }));
}

TEST(strangers_walk, holds_for_senders_of_senders_below_a_supervisor) {
  EXPECT_TRUE(rc::check("holds_for_senders_of_senders_below_a_supervisor",
                        [] { walk(Shape::nested_and_supervised); }));
}

} // namespace backoff_actor::actor_test::sender_walk
