#pragma once

// Workers that are functions, as CAF spawns them. `child_of` and `ChildFactory` use this header;
// programs need not include it.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/infer_handle.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace backoff_actor::detail {

// -- the shape of a function ----------------------------------------------------------

// The class of an actor that has this behavior; `void` if it is none.
template <class Behavior>
struct ActorOf {
  using type = void;
};
template <>
struct ActorOf<caf::behavior> {
  using type = caf::event_based_actor;
};
template <class... Ts>
struct ActorOf<caf::typed_behavior<Ts...>> {
  using type = caf::typed_event_based_actor<Ts...>;
};

// The class of an actor that the first of these parameters points to; `void` if it does not.
template <class... Parameters>
struct SelfAmong {
  using type = void;
};
template <class Self, class... Parameters>
requires requires { sizeof(Self); } && std::derived_from<Self, caf::local_actor>
struct SelfAmong<Self*, Parameters...> {
  using type = Self;
};

// The self of a function with a single signature, as `std::function` deduces it. A lambda with
// `auto*` has no such signature: its self is an `event_based_actor`.
template <class Function>
struct SelfOf {
  using type = void;
};
template <class Result, class... Parameters>
struct SelfOf<std::function<Result(Parameters...)>> : SelfAmong<Parameters...> {};

template <class F>
concept HasOneSignature = requires(F f) {
  std::function{f};
};

template <class F, class... Ts>
constexpr auto self_of() {
  if constexpr (HasOneSignature<F>)
    return std::type_identity<typename SelfOf<decltype(std::function{std::declval<F>()})>::type>{};
  else if constexpr (std::invocable<F&, caf::event_based_actor*, Ts...>)
    return std::type_identity<caf::event_based_actor>{};
  else
    return std::type_identity<void>{};
}

template <class F, bool HasSelf, class Self, class... Ts>
constexpr auto result_of_worker() {
  if constexpr (HasSelf && std::invocable<F&, Self*, Ts...>)
    return std::type_identity<std::invoke_result_t<F&, Self*, Ts...>>{};
  else if constexpr (!HasSelf && std::invocable<F&, Ts...>)
    return std::type_identity<std::invoke_result_t<F&, Ts...>>{};
  else
    return std::type_identity<std::nullptr_t>{};
}

// Whether an actor of the class `Base` can run a function that returns `Result`.
template <class Base, class Result>
constexpr bool can_run() {
  if constexpr (!std::derived_from<Base, caf::scheduled_actor>)
    return false;
  else if constexpr (!requires { typename Base::behavior_type; }) // a base of actors
    return false;
  else if constexpr (std::is_void_v<Result>) // it calls `become` itself
    return std::same_as<typename Base::behavior_type, caf::behavior>;
  else
    return !std::is_void_v<typename ActorOf<
             Result>::type> && std::convertible_to<Result, typename Base::behavior_type>;
}

// What is known of a function that may be a worker with the arguments `Ts`.
template <class F, class... Ts>
struct WorkerShape {
  using Self = typename decltype(self_of<F, Ts...>())::type;
  static constexpr bool has_self = !std::is_void_v<Self>;

  // `std::nullptr_t`: it cannot be called with the arguments.
  using Result = typename decltype(result_of_worker<F, has_self, Self, Ts...>())::type;
  static constexpr bool can_be_called = !std::is_null_pointer_v<Result>;
  static constexpr bool returns_nothing = has_self && std::is_void_v<Result>;

  // The class of the actor to spawn.
  using Base = std::conditional_t<has_self, Self, typename ActorOf<Result>::type>;
  static constexpr bool is_worker = can_run<Base, Result>();
};

// -- its actor ------------------------------------------------------------------------

// The actor of a function worker. It is of a class, so that exceptions keep their text: also one
// that leaves the function itself.
template <class Base>
class FunctionWorker final : public Base {
public:
  using Behavior = typename Base::behavior_type;
  using Begin = std::function<Behavior(Base*)>;

  FunctionWorker(caf::actor_config& config, Begin begin) : Base(config), begin_(std::move(begin)) {
    compat::keep_cause(*this);
  }

protected:
  Behavior make_behavior() override {
    // The arguments are released when the function has returned, as with CAF's function actors.
    return std::exchange(begin_, nullptr)(this);
  }

private:
  Begin begin_;
};

// Spawns the worker. Each gets copies of the function and of the arguments.
template <caf::spawn_options Options, class Parent, class F, class... Ts>
caf::actor spawn_function(Parent& parent, const F& function, const std::tuple<Ts...>& arguments) {
  using Shape = WorkerShape<F, Ts...>;
  using Actor = FunctionWorker<typename Shape::Base>;
  typename Actor::Begin begin = [function, arguments](typename Shape::Base* self) mutable {
    return std::apply(
      [&](auto&... xs) -> typename Actor::Behavior {
        if constexpr (!Shape::has_self) {
          return function(std::move(xs)...);
        } else if constexpr (Shape::returns_nothing) {
          function(self, std::move(xs)...);
          return {}; // it has called `become`
        } else {
          return function(self, std::move(xs)...);
        }
      },
      arguments);
  };
  return caf::actor_cast<caf::actor>(parent.template spawn<Actor, Options>(std::move(begin)));
}

// -- with arguments from a message ------------------------------------------------------

// The types of the parameters behind the self, as values.
template <class Function>
struct ArgumentsOf {};
template <class Result, class... Parameters>
struct ArgumentsOf<std::function<Result(Parameters...)>> {
  static constexpr bool is_worker =
    WorkerShape<std::function<Result(Parameters...)>, std::decay_t<Parameters>...>::is_worker;
  using Tuple = std::tuple<std::decay_t<Parameters>...>;
};
template <class Result, class Self, class... Parameters>
requires std::derived_from<Self, caf::local_actor>
struct ArgumentsOf<std::function<Result(Self*, Parameters...)>> {
  static constexpr bool is_worker = WorkerShape<std::function<Result(Self*, Parameters...)>,
                                                std::decay_t<Parameters>...>::is_worker;
  using Tuple = std::tuple<std::decay_t<Parameters>...>;
};

template <class F>
constexpr bool is_worker_with_one_signature() {
  if constexpr (HasOneSignature<F>)
    return ArgumentsOf<decltype(std::function{std::declval<F>()})>::is_worker;
  else
    return false;
}

// Spawns the worker with the values of a message as its arguments.
//
// Throws `std::invalid_argument` if they have other types.
template <caf::spawn_options Options, class Parent, class F>
caf::actor spawn_function_with(Parent& parent, const F& function, const caf::message& message) {
  using Arguments = typename ArgumentsOf<decltype(std::function{function})>::Tuple;
  return [&]<class... Ts, std::size_t... I>(std::type_identity<std::tuple<Ts...>>,
                                            std::index_sequence<I...>) {
    auto fits = message.size() == sizeof...(Ts);
    if constexpr (sizeof...(Ts) > 0)
      fits = message.match_elements<Ts...>();
    if (!fits)
      throw std::invalid_argument("the arguments do not have the types that the worker takes");
    return spawn_function<Options>(parent, function, std::tuple<Ts...>{message.get_as<Ts>(I)...});
  }(std::type_identity<Arguments>{}, std::make_index_sequence<std::tuple_size_v<Arguments>>{});
}

} // namespace backoff_actor::detail
