#pragma once

#include "fixture.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

namespace backoff_actor::actor_test {

using testing::Answer;

/// What the actors of children did, and what the next ones are to do. It is shared by all of them,
/// and by the test.
struct Nursery {
  /// `a1 up`, `a1 ended`, `a2 not made`, in order.
  Strings diary;
  /// How many actors of a child live that were not abandoned.
  std::map<std::string, int> alive;
  /// The actors of a child that were made last.
  std::map<std::string, caf::actor> actors;
  /// How many actors of a child were made, or were to be.
  std::map<std::string, int> births;
  /// The births that fail: child and number, as in `a2`.
  std::set<std::string> failing_births;
  /// Children all births of which fail from now on.
  std::set<std::string> barren;
  /// What must never be: two actors of a child at a time.
  Strings twins;
};

/// A worker that does as it is told: `crash`, `fail`, `stop`, `shutdown`, `kill`; to anything else
/// it answers who it is.
class Kid : public caf::event_based_actor {
public:
  Kid(caf::actor_config& config, std::shared_ptr<Nursery> nursery, std::string id, int number)
    : caf::event_based_actor(config), nursery_(std::move(nursery)), id_(std::move(id)),
      name_(id_ + std::to_string(number)) {
    compat::keep_cause(*this);
    nursery_->diary.push_back(name_ + " up");
    if (++nursery_->alive[id_] > 1)
      nursery_->twins.push_back(name_);
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& what) -> caf::result<std::string> {
      if (what == "crash")
        throw std::runtime_error("boom of " + name_);
      if (what == "fail")
        quit(caf::make_error(caf::sec::runtime_error, std::string{"failure of " + name_}));
      else if (what == "stop")
        quit();
      else if (what == "shutdown")
        quit(caf::exit_reason::user_shutdown);
      else if (what == "kill")
        quit(caf::exit_reason::kill);
      return name_;
    }};
  }

  void on_exit() override {
    nursery_->diary.push_back(name_ + " ended");
    --nursery_->alive[id_];
  }

private:
  std::shared_ptr<Nursery> nursery_;
  std::string id_;
  std::string name_;
};

/// A supervisor in virtual time. Delays are one second, and twice as long each time in a row,
/// without jitter, unless a test says otherwise.
class SupervisorTest : public testing::VirtualTimeTest {
protected:
  SupervisorTest() : VirtualTimeTest{register_test_types} {}

  /// No test may see two actors of a child, unless one was abandoned.
  void TearDown() override {
    EXPECT_THAT(nursery->twins, IsEmpty());
    for (const auto& [id, actor] : nursery->actors)
      time.stop(actor);
    nursery->actors.clear();
  }

  static ChildOptions plain() {
    ChildOptions options;
    options.backoff = Exponential{.first = 1s, .factor = 2, .cap = 8s};
    return options;
  }

  static ChildOptions of_type(RestartType type) {
    auto options = plain();
    options.restart = type;
    return options;
  }

  ChildFactory kid(const std::string& id) {
    return [nursery = nursery, id](caf::event_based_actor* self) -> caf::actor {
      const auto number = ++nursery->births[id];
      if (nursery->barren.count(id) != 0
          || nursery->failing_births.count(id + std::to_string(number)) != 0) {
        nursery->diary.push_back(id + std::to_string(number) + " not made");
        throw std::runtime_error("stillbirth of " + id + std::to_string(number));
      }
      const auto actor = self->spawn<Kid>(nursery, id, number);
      nursery->actors[id] = actor;
      return actor;
    };
  }

  ChildSpec spec(const std::string& id, ChildOptions options = plain()) {
    ChildSpec result;
    result.id = id;
    result.make = kid(id);
    result.options = std::move(options);
    return result;
  }

  /// Specs with one letter each as ids.
  std::vector<ChildSpec> specs(const std::string& ids, const ChildOptions& options = plain()) {
    std::vector<ChildSpec> result;
    for (const auto id : ids)
      result.push_back(spec(std::string{id}, options));
    return result;
  }

  void start(std::vector<ChildSpec> children, SupervisorOptions options = {}) {
    options.on_event = log.supervisor_hook();
    supervisor =
      time.keep(spawn_supervisor(time.system(), std::move(children), std::move(options)));
    watch(supervisor);
    time.run();
  }

  void start(DynamicSupervisorOptions options) {
    options.supervisor.on_event = log.supervisor_hook();
    supervisor = time.keep(spawn_supervisor(time.system(), std::move(options)));
    watch(supervisor);
    time.run();
  }

  /// Keeps the reason of the supervisor's end.
  void watch(const caf::actor& whom) {
    ended = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<Watcher>(whom, ended));
  }

  /// Lets the present actor of a child do something.
  void tell(const std::string& id, const std::string& what) {
    time.tell(nursery->actors.at(id), what);
    time.run();
  }

  /// Several do it before the supervisor hears of any.
  void tell_all(const std::string& ids, const std::string& what) {
    for (const auto id : ids)
      time.tell(nursery->actors.at(std::string{id}), what);
    time.run();
  }

  /// What has been written into the diary since this was asked last.
  Strings news() { return std::exchange(nursery->diary, {}); }

  template <class T, class Message>
  std::shared_ptr<Answer<T>> ask_for(Message message) {
    return ask<T>(supervisor, std::move(message));
  }

  /// The answer to a control message that is answered with nothing: `ok`, or the error's name.
  template <class Message>
  std::shared_ptr<std::string> control(Message message) {
    auto result = std::make_shared<std::string>("no answer");
    time.keep(time.system().spawn<Caller>([=, to = supervisor](caf::event_based_actor* self) {
      const auto failed = [=](const caf::error& error) { *result = name_of(error); };
      if constexpr (
        std::is_same_v<
          Message,
          StartChild> || std::is_same_v<Message, AddChild> || std::is_same_v<Message, RestartChild>)
        compat::request(*self, to, message)
          .then([=](const StartedChild&) { *result = "ok"; }, failed);
      else
        compat::request(*self, to, message).then([=] { *result = "ok"; }, failed);
    }));
    time.run();
    return result;
  }

  static std::string name_of(const caf::error& error) {
    for (std::uint8_t number = 1; number <= last_supervisor_error; ++number)
      if (error == static_cast<SupervisorError>(number)) {
        const auto text = to_string(static_cast<SupervisorError>(number));
        return text.substr(0, text.find(':'));
      }
    return "another error";
  }

  ChildCounts counts() { return ask_for<ChildCounts>(CountChildren{})->value.value(); }

  Children children() { return ask_for<Children>(WhichChildren{})->value.value(); }

  ChildStatus status(const std::string& id) {
    for (const auto& child : children().list)
      if (child.status.id == id)
        return child.status;
    throw std::out_of_range("no child " + id);
  }

  /// All states in order, such as `a running, b waiting`.
  std::string states() {
    std::string result;
    for (const auto& child : children().list)
      result += (result.empty() ? "" : ", ") + child.status.id + " "
                + std::string{to_string(child.status.state)};
    return result;
  }

  /// The name of the supervisor, if its options give it none.
  std::string name() const { return "supervisor#" + std::to_string(supervisor.id()); }

  std::string reason() { return *ended ? render(time.system(), **ended) : "still alive"; }

  std::shared_ptr<Nursery> nursery = std::make_shared<Nursery>();
  caf::actor supervisor;
  std::shared_ptr<std::optional<caf::error>> ended;
};

} // namespace backoff_actor::actor_test
