// Workers that are functions: whatever CAF spawns of a function can be a child, as a class can.

#include "fixture.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <ostream>

namespace backoff_actor::actor_test::function_workers {

// Answers with its text, and crashes of `crash`.
std::string answer_to(const std::string& text) {
  if (text == "crash")
    throw std::runtime_error("connection reset");
  return text;
}

caf::behavior behavior_of(const std::string& prefix) {
  return {[prefix](const std::string& text) { return prefix + answer_to(text); }};
}

struct Memory {
  std::string prefix{};
};

// The state, which is a member in one version of CAF, and a function in the other.
template <class Self>
Memory& state_of(Self* self) {
  if constexpr (requires { self->state().prefix; })
    return self->state();
  else
    return self->state;
}

using Api = caf::typed_actor<compat::Signature<std::string, std::string>,
                             compat::Signature<std::int32_t, std::int32_t>>;
using SmallApi = caf::typed_actor<compat::Signature<std::string, std::string>>;

caf::behavior plain(caf::event_based_actor*) { return behavior_of(""); }
caf::behavior without_self() { return behavior_of(""); }
caf::behavior with_arguments(caf::event_based_actor*, const std::string& prefix, int number) {
  return behavior_of(prefix + std::to_string(number) + " ");
}
caf::behavior with_arguments_alone(std::string prefix) { return behavior_of(prefix); }
class Unknown; // is nowhere defined
caf::behavior with_a_pointer(const Unknown* service) {
  return behavior_of(service == nullptr ? "g" : "");
}
void becomes(caf::event_based_actor* self) { self->become(behavior_of("")); }
caf::behavior stateful(caf::stateful_actor<Memory>* self, std::string prefix) {
  state_of(self).prefix = std::move(prefix);
  return {[self](const std::string& text) { return state_of(self).prefix + answer_to(text); }};
}
Api::behavior_type typed(Api::pointer) {
  return {[](const std::string& text) { return answer_to(text); },
          [](std::int32_t number) { return number; }};
}
SmallApi::behavior_type typed_without_self() {
  return {[](const std::string& text) { return answer_to(text); }};
}
SmallApi::behavior_type typed_stateful(SmallApi::stateful_pointer<Memory> self,
                                       std::string prefix) {
  state_of(self).prefix = std::move(prefix);
  return {[self](const std::string& text) { return state_of(self).prefix + answer_to(text); }};
}
caf::behavior broken(caf::event_based_actor*) { throw std::runtime_error("no voltage"); }

struct FunctionRow {
  const char* name;
  ChildFactory factory;
  const char* answer; // to "a"

  friend void PrintTo(const FunctionRow& row, std::ostream* out) { *out << row.name; }
};

class FunctionsAsWorkers : public SenderTest {
protected:
  Strings causes() const {
    Strings result;
    for (const auto& x : log.all<event::ChildDown>())
      result.push_back(x.cause.text);
    return result;
  }
};

class FunctionWorkers : public FunctionsAsWorkers,
                        public ::testing::WithParamInterface<FunctionRow> {};

TEST(FunctionFactories, may_ask_for_a_base_of_the_sender) {
  const ChildFactory factory{
    [](caf::scheduled_actor* self) -> caf::actor { return self->spawn(plain); }};
  EXPECT_TRUE(factory);
}

TEST_P(FunctionWorkers, answer_and_crash_with_the_text_of_the_exception_which_caf_does_not_print) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  start_with(GetParam().factory);
  const auto answer = ask("a");
  (void)ask("crash");
  time.advance(10ms);
  time.stop(sender);
  time.run();
  const auto printed =
    ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(answer->value, GetParam().answer);
  EXPECT_EQ(causes().front(), "connection reset");
  EXPECT_EQ(printed, "");
}

TEST_P(FunctionWorkers, start_each_incarnation_with_the_same_arguments) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  start_with(GetParam().factory, options);
  const auto culprit = ask("crash");
  const auto next = ask("a");
  time.advance(10ms);

  EXPECT_THAT(text_of(culprit->error), HasSubstr("attempts_exhausted"));
  EXPECT_EQ(next->value, GetParam().answer);
  EXPECT_THAT(causes(), ElementsAre("connection reset"));
}

INSTANTIATE_TEST_SUITE_P(
  table, FunctionWorkers,
  ::testing::Values(
    FunctionRow{"plain", plain, "a"}, FunctionRow{"plain_in_child_of", child_of(plain), "a"},
    FunctionRow{"without_self", without_self, "a"},
    FunctionRow{"with_arguments", child_of(with_arguments, "no ", 7), "no 7 a"},
    FunctionRow{"with_arguments_alone", child_of(with_arguments_alone, "b"), "ba"},
    FunctionRow{"with_a_pointer", child_of(with_a_pointer, static_cast<const Unknown*>(nullptr)),
                "ga"},
    FunctionRow{"becomes", child_of(becomes), "a"},
    FunctionRow{"stateful", child_of(stateful, "c"), "ca"}, FunctionRow{"typed", typed, "a"},
    FunctionRow{"typed_in_child_of", child_of(typed), "a"},
    FunctionRow{"typed_without_self", typed_without_self, "a"},
    FunctionRow{"typed_stateful", child_of(typed_stateful, "d"), "da"},
    FunctionRow{"a_lambda", [](caf::event_based_actor*) { return behavior_of("e"); }, "ea"},
    FunctionRow{"a_generic_lambda", [](auto*) { return behavior_of("f"); }, "fa"},
    FunctionRow{"a_std_function", std::function<caf::behavior(caf::event_based_actor*)>{plain},
                "a"},
    FunctionRow{"a_factory_that_returns_a_typed_handle",
                [](caf::event_based_actor* self) {
                  return self->spawn<detail::FunctionWorker<
                    caf::typed_event_based_actor<compat::Signature<std::string, std::string>>>>(
                    [](auto*) { return typed_without_self(); });
                },
                "a"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST_F(FunctionsAsWorkers, that_throw_before_they_have_a_behavior_crash_with_that_text) {
  start_with(broken);
  time.advance(10ms);
  EXPECT_THAT(causes(), ::testing::Each("no voltage"));
  EXPECT_FALSE(causes().empty());
}

TEST_F(FunctionsAsWorkers, have_copies_of_their_arguments_for_themselves) {
  const auto shared = std::make_shared<int>(0);
  const auto counts = [](caf::event_based_actor*, std::shared_ptr<int> count,
                         int mine) -> caf::behavior {
    return {[count, mine](const std::string& text) mutable {
      ++*count;
      return answer_to(text) + std::to_string(++mine);
    }};
  };
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  start_with(child_of(counts, shared, 5), options);
  EXPECT_EQ(ask("a")->value, "a6");
  EXPECT_EQ(ask("a")->value, "a7");
  (void)ask("crash");
  time.advance(10ms);
  EXPECT_EQ(ask("a")->value, "a6");
  EXPECT_EQ(*shared, 4);
}

TEST_F(FunctionsAsWorkers, release_their_arguments_when_they_have_begun) {
  const auto argument = std::make_shared<int>(7);
  const auto ignores = [](caf::event_based_actor*, const std::shared_ptr<int>&) {
    return behavior_of("");
  };
  start_with(child_of(ignores, argument));
  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(argument.use_count(), 2) << "this test has one, and the factory";
}

TEST_F(FunctionsAsWorkers, that_are_empty_make_empty_factories) {
  EXPECT_FALSE(ChildFactory{std::function<caf::behavior(caf::event_based_actor*)>{}});
  EXPECT_FALSE(ChildFactory{static_cast<caf::behavior (*)()>(nullptr)});
  EXPECT_FALSE(child_of(static_cast<caf::behavior (*)(int)>(nullptr), 5));
  EXPECT_TRUE(ChildFactory{plain});
}

TEST_F(FunctionsAsWorkers, may_be_the_fallback) {
  auto options = default_options();
  options.restart_limit = RestartLimit{0, 1h};
  options.rare.fallback = child_of(with_arguments, "fallback ", 2);
  start_with(broken, options);
  const auto answer = ask("a");
  time.advance(1s);
  EXPECT_EQ(answer->value, "fallback 2 a");
}

TEST_F(FunctionsAsWorkers, may_be_the_worker_of_a_blueprint_and_of_a_spec) {
  const SenderBlueprint blueprint{
    [](caf::stateful_actor<Memory>* self) -> caf::behavior {
      return {[self](const std::string& text) { return state_of(self).prefix + "0 " + text; }};
    },
    default_options()};
  sender = time.keep(blueprint.spawn(time.system()));
  time.run();
  EXPECT_EQ(ask("a")->value, "0 a");

  sender = time.keep(
    spawn_supervisor(time.system(), {sender_spec("one", plain), {.id = "two", .make = typed}}));
  time.run();
  const auto children = time.ask<Children>(sender, WhichChildren{});
  time.run();
  ASSERT_EQ(children->value->list.size(), 2u);
  sender = children->value->list[1].actor;
  EXPECT_EQ(ask("c")->value, "c");
}

TEST_F(FunctionsAsWorkers, are_made_with_the_arguments_of_the_message_by_a_dynamic_supervisor) {
  sender = time.keep(spawn_supervisor(
    time.system(), DynamicSupervisorOptions{.make = dynamic_child_of(with_arguments)}));
  time.run();
  const auto started =
    time.ask<StartedChild>(sender, AddChild{caf::make_message(std::string{"x"}, 3), "x3"});
  const auto refused = time.ask<StartedChild>(sender, AddChild{caf::make_message(3), "none"});
  time.run();

  EXPECT_THAT(text_of(refused->error),
              HasSubstr("the arguments do not have the types that the worker takes"));
  ASSERT_TRUE(started->value);
  sender = started->value->actor;
  EXPECT_EQ(ask("a")->value, "x3 a");
}

} // namespace backoff_actor::actor_test::function_workers
