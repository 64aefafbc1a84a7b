#pragma once

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/supervisor/supervisor_messages.hpp"
#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace backoff_actor {

namespace detail {
class SupervisorSeat;
}

class ChildStart;
struct FinishWork;

// The actor of `spawn_supervisor`; see there.
class BACKOFF_ACTOR_EXPORT Supervisor final : public compat::RequestingActor {
public:
  // CAF calls the constructors. They start nothing: `make_behavior` does.
  Supervisor(caf::actor_config& config, SupervisorOptions options, std::vector<ChildSpec> children);
  Supervisor(caf::actor_config& config, DynamicSupervisorOptions options);
  // The successor of a supervisor that nobody holds. It takes over the children, ends them in
  // order, and then ends itself.
  Supervisor(caf::actor_config& config, Supervisor& unheld);

  ~Supervisor() override;

  const char* name() const override { return "backoff_actor.supervisor"; }
  caf::behavior make_behavior() override;

  // Runs in the actor's own thread, or in the thread that drops the last handle to the actor. Kills
  // the remaining children, and answers all open requests. If nobody holds the supervisor, its
  // successor does that instead.
  void on_exit() override;

  // Returns true: the spec of each child limits its time to end.
  bool limits_ends() const override { return true; }
  bool can_finish_work() const override { return true; }

private:
  // The data of a child that the engine does not need. The engine uses the same slot.
  struct Place {
    ChildFactory make;      // of a child with a spec of its own
    caf::message arguments; // of a child of a dynamic supervisor
    std::shared_ptr<const ChildOptions> options;
    std::unique_ptr<ChildRef> address;
    std::shared_ptr<ChildStart> start; // pending start of an asynchronous factory
    caf::actor actor;                  // the last one made; none once it is down or abandoned
    caf::error error;                  // of the last failure
    std::uint64_t asked = 0;           // the open `AwaitUp` request; 0: none
    std::uint32_t serial = 0;
    ChildKind kind = ChildKind::worker;
    Ownership ownership = Ownership::sole; // of the actor
    bool is_told = false;                  // the actor was told to end
    bool asks_if_it_is = false;            // the supervisor sends the actor `AwaitUp`
    bool has_reported = false;             // the actor answered `FinishWork`

    // Identifies the address; null: none.
    const void* address_key() const;
    // Points the address to the actor, removes the actor from it, or gives up what it keeps, and
    // returns how many messages that were.
    void enter() const;
    void leave() const;
    std::size_t close() const;
  };

  // A client that waits for an answer.
  struct Client {
    compat::OpenRequest request;
    std::string id{};         // of the child; empty: a number
    Place place{};            // of a child to add
    bool wants_child = false; // the answer is `StartedChild`
  };

  // A request for the tree, until all branches have come.
  struct OpenTree {
    compat::OpenRequest request;
    SupervisionTree tree;
    std::size_t missing = 0;
  };

  // A part of a tree, asked from a child that is a supervisor.
  struct Branch {
    std::uint64_t tree;
    std::size_t place; // index among the children
    ChildActor actor;  // the child that was asked
  };

  // Data of a supervisor that ends with a grace.
  struct Closing {
    Stopped numbers;                                     // so far
    std::vector<compat::OpenRequest> clients;            // that wait for the numbers
    std::vector<compat::OpenRequest> reports;            // the same for its own supervisor
    std::unordered_map<std::uint64_t, ChildActor> asked; // with an open `FinishWork`, by request
  };

  class CarryOut; // one member per effect

  Supervisor(caf::actor_config& config, SupervisorOptions options,
             const std::vector<ChildEntry>& entries, std::vector<ChildSpec>&& children);

  static Place place_of(ChildSpec spec, std::shared_ptr<const ChildOptions> options);
  ChildSpec spec_of(const std::string& id, const Place& place) const;

  // -- messages and events (supervisor_actor.cpp) -----------------------------------

  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr& from) override;
  void on_down(const caf::actor_addr& who, const caf::error& reason) override;
  bool is_told_of_end(const caf::actor_addr& who) const override;
  void on_up_answer(const ChildActor& actor, const caf::message& content);
  void on_branch(const Branch& branch, const caf::message& content);
  void cut_branches_of(const ChildActor& actor);
  void on_start_child(const StartChild& x);
  void on_add_child(const AddChild& x);
  void on_await_up();
  void tell_spec(const std::string& id);
  void tell_tree();
  Children which_children();
  Ticket admit(const std::string& id, bool wants_child = false);
  Ticket admit_child(const std::string& id, Place place);
  void refuse(compat::OpenRequest client, const std::string& child, caf::error error);

  // -- effects of the engine (supervisor_actor_effects.cpp) -------------------------

  void take(SupervisorInput input);
  void step(const SupervisorInput& input, std::vector<SupervisorInput>& follow_ups);
  std::optional<SupervisorInput> make_child(const supervisor_effect::StartChild& x);
  SupervisorInput made(const ChildActor& name, const caf::actor& child, Ownership ownership);
  SupervisorInput not_made(const ChildActor& name, const std::string& text, caf::error root);
  void on_start_news(std::uint64_t number);
  void call_off(Place& place);
  void close_if_stopped(const ChildName& child);
  void count_lost(std::size_t messages);
  std::optional<SupervisorInput> end_child(const ChildActor& actor, caf::exit_reason reason);
  void publish();
  void show_end_of(const caf::actor_addr& child);
  void tell(SupervisorEvent event);
  void tell_failed_hook(const std::string& exception);
  Place* find(const ChildActor& actor);
  std::string id_of(const ChildActor& actor) const {
    return std::string{engine_.id_of(actor.child)};
  }
  Directive decide(const ChildActor& actor, const caf::error& error) const;
  Cause cause_of(const caf::error& error) const;

  // -- its end (supervisor_actor_end.cpp) -------------------------------------------

  void on_stop(const Stop& x);
  void on_exit_message(const caf::exit_msg& x);
  void note_told(caf::error reason);
  void on_finish_work(const FinishWork& x);
  void on_work_finished();
  void on_report(const ChildActor& actor, const caf::message& content);
  Closing& closing();
  void request_finish(const ChildActor& actor, const FinishWork& what);
  caf::error quit_reason(const supervisor_effect::BeginStop& x) const;
  void finish();
  void report();
  void hand_over();
  void end_inherited_children();
  void end_at_once();

  std::unique_ptr<const SupervisorOptions> options_;
  ActorName name_;                                    // a successor has that of its predecessor
  DynamicChildFactory make_dynamic_;                  // of a dynamic supervisor
  std::shared_ptr<const ChildOptions> dynamic_child_; // shared by all its children
  ChildKind dynamic_kind_ = ChildKind::worker;
  SupervisorEngine engine_;
  std::vector<Place> places_;                              // by slot
  std::unordered_map<const void*, ChildActor> by_address_; // of actors that are not down
  std::unordered_set<const void*> addresses_;              // of all children that have one
  std::unordered_map<Ticket, Client> clients_;
  std::unordered_map<std::uint64_t, OpenTree> trees_;
  std::unordered_map<std::uint64_t, Branch> branches_;   // by request
  std::unordered_map<std::uint64_t, ChildActor> asked_;  // with an open `AwaitUp`, by request
  std::unordered_map<std::uint64_t, ChildActor> starts_; // pending asynchronous starts, by number
  std::vector<compat::OpenRequest> await_up_;
  std::vector<compat::OpenRequest> await_end_;
  std::unique_ptr<Closing> closing_;             // none: it was not told to end with a grace
  std::unique_ptr<detail::SupervisorSeat> seat_; // none: nobody sees the numbers
  SupervisorEffects effects_;
  Ticket last_ticket_ = 0;
  std::uint64_t last_request_ = 0;
  caf::error told_reason_;            // the exit reason it was told
  caf::error quit_reason_;            // its exit reason
  bool quits_ = false;                // ends after this step
  bool has_begun_ = false;            // `make_behavior` was called
  bool is_successor_ = false;         // of a supervisor that nobody holds
  bool has_told_failed_hook_ = false; // the hook for events threw an exception before
  caf::strong_actor_ptr keep_alive_;  // this actor, while it ends its children
};

} // namespace backoff_actor
