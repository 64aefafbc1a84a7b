// How a supervisor turns messages and events of CAF into inputs of the engine.

#include "backoff_actor/caf/supervisor/internal/supervisor_actor.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/supervisor/internal/supervisor_settings.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace backoff_actor {

namespace {

// Successive children with equal options share one copy of them.
std::vector<ChildEntry> entries_of(const std::vector<ChildSpec>& children) {
  std::vector<ChildEntry> entries;
  entries.reserve(children.size());
  for (const auto& spec : children) {
    const auto is_alike = !entries.empty() && *entries.back().options == spec.options;
    entries.push_back({spec.id, is_alike ? entries.back().options
                                         : std::make_shared<const ChildOptions>(spec.options)});
  }
  return entries;
}

std::shared_ptr<const SupervisorEngineOptions> dynamic_options(const DynamicSupervisorOptions& x,
                                                               std::uint64_t number) {
  auto options = *detail::engine_options(x.supervisor, number);
  options.is_dynamic = true;
  if (x.max_children)
    options.max_children = *x.max_children;
  return std::make_shared<const SupervisorEngineOptions>(std::move(options));
}

Ending ending_of(const caf::error& reason) {
  if (!reason || reason == caf::exit_reason::normal)
    return Ending::normal;
  if (compat::has_code(reason, caf::exit_reason::user_shutdown))
    return Ending::shutdown;
  return compat::has_code(reason, caf::exit_reason::kill) ? Ending::killed : Ending::failed;
}

} // namespace

const void* Supervisor::Place::address_key() const {
  return address ? caf::actor_cast<caf::abstract_actor*>(address->actor()) : nullptr;
}

void Supervisor::Place::enter() const {
  if (address)
    address->point_to(actor);
}

// Leaves the address alone if it points to another actor: if this supervisor was abandoned, its
// replacement may have set the address.
void Supervisor::Place::leave() const {
  if (address && actor)
    address->leave(actor);
}

std::size_t Supervisor::Place::close() const {
  leave();
  return address ? address->close() : 0;
}

Supervisor::Supervisor(caf::actor_config& config, SupervisorOptions options,
                       std::vector<ChildSpec> children)
  : Supervisor(config, std::move(options), entries_of(children), std::move(children)) {}

Supervisor::Supervisor(caf::actor_config& config, SupervisorOptions options,
                       const std::vector<ChildEntry>& entries, std::vector<ChildSpec>&& children)
  : RequestingActor(config), options_(std::make_unique<SupervisorOptions>(std::move(options))),
    name_(detail::name_of(*options_, id())),
    engine_(detail::engine_options(*options_, id()), entries),
    seat_(detail::seat_of(*options_, id())) {
  places_.reserve(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    places_.push_back(place_of(std::move(children[i]), entries[i].options));
    places_.back().serial = static_cast<std::uint32_t>(places_.size()); // as the engine counts them
    if (const auto* key = places_.back().address_key())
      addresses_.insert(key);
  }
}

Supervisor::Supervisor(caf::actor_config& config, DynamicSupervisorOptions options)
  : RequestingActor(config), options_(std::make_unique<SupervisorOptions>(options.supervisor)),
    name_(detail::name_of(*options_, id())), make_dynamic_(std::move(options.make)),
    dynamic_child_(std::make_shared<const ChildOptions>(options.child)),
    dynamic_kind_(options.kind), engine_(dynamic_options(options, id()), {}),
    seat_(detail::seat_of(*options_, id())) {}

// Answers to requests of the predecessor go to the predecessor, so they are lost.
Supervisor::Supervisor(caf::actor_config& config, Supervisor& unheld)
  : RequestingActor(config), options_(std::move(unheld.options_)), name_(unheld.name_),
    engine_(std::move(unheld.engine_)), places_(std::move(unheld.places_)),
    by_address_(std::move(unheld.by_address_)), clients_(std::move(unheld.clients_)),
    trees_(std::move(unheld.trees_)), await_up_(std::move(unheld.await_up_)),
    seat_(std::move(unheld.seat_)), is_successor_(true) {}

Supervisor::~Supervisor() = default;

Supervisor::Place Supervisor::place_of(ChildSpec spec,
                                       std::shared_ptr<const ChildOptions> options) {
  Place place;
  place.make = std::move(spec.make);
  place.options = std::move(options);
  place.kind = spec.kind;
  if (spec.address)
    place.address = std::make_unique<ChildRef>(std::move(*spec.address));
  return place;
}

caf::behavior Supervisor::make_behavior() {
  compat::keep_cause(*this);
  const auto later = [] { return caf::delegated<caf::message>{}; };
  auto result = complete(
    [this](const WakeUp&) { take(supervisor_input::Wake{}); },
    [this](const StartNews& x) { on_start_news(x.start); },
    [this, later](const StartChild& x) {
      on_start_child(x);
      return later();
    },
    [this, later](const AddChild& x) {
      on_add_child(x);
      return later();
    },
    [this, later](const TerminateChild& x) {
      take(supervisor_input::TerminateChild{admit(x.id), x.id});
      return later();
    },
    [this, later](const RestartChild& x) {
      take(supervisor_input::RestartChild{admit(x.id, true), x.id});
      return later();
    },
    [this, later](const DeleteChild& x) {
      take(supervisor_input::DeleteChild{admit(x.id), x.id});
      return later();
    },
    [this, later](const RetryChildNow& x) {
      take(supervisor_input::RetryNow{admit(x.id), x.id});
      return later();
    },
    [this](const WhichChildren&) { return which_children(); },
    [this](const CountChildren&) { return engine_.count(); },
    [this, later](const GetSpec& x) {
      tell_spec(x.id);
      return later();
    },
    [this, later](const GetTree&) {
      tell_tree();
      return later();
    },
    [this, later](const AwaitUp&) {
      on_await_up();
      return later();
    },
    [this, later](const Stop& x) {
      on_stop(x);
      return later();
    },
    [this, later](const FinishWork& x) {
      on_finish_work(x);
      return later();
    },
    [this](const WorkFinished&) { on_work_finished(); },
    compat::on_exit_message(*this, [this](const caf::exit_msg& x) { on_exit_message(x); }));
  has_begun_ = true;
  if (is_successor_)
    end_inherited_children();
  else
    take(supervisor_input::Start{});
  return result;
}

// -- children -----------------------------------------------------------------------

void Supervisor::on_down(const caf::actor_addr& who, const caf::error& reason) {
  const auto it = by_address_.find(caf::actor_cast<caf::abstract_actor*>(who));
  if (it == by_address_.end())
    return;
  const auto actor = it->second;
  auto* place = find(actor);
  by_address_.erase(it);
  show_end_of(who);
  cut_branches_of(actor);
  const auto ending = ending_of(reason);
  // In all other cases nobody reads the text of the cause, which is costly.
  const auto is_its_own =
    place && !is_clean(ending) && !(place->is_told && ending == Ending::killed);
  auto directive = Directive::restart;
  if (place) {
    if (!is_clean(ending))
      directive = decide(actor, reason);
    if (is_its_own)
      place->error = reason;
    place->leave();
    place->actor = nullptr;
    asked_.erase(std::exchange(place->asked, 0));
  }
  const auto cause = compat::cause_of(home_system(), reason, is_its_own);
  take(supervisor_input::ChildDown{actor, ending, cause, directive});
}

void Supervisor::on_response(std::uint64_t name, caf::message&& content,
                             const caf::strong_actor_ptr& from) {
  if (const auto asked = asked_.extract(name)) {
    if (from) // else CAF answers for an actor that is gone; its down message follows
      on_up_answer(asked.mapped(), content);
  } else if (const auto branch = branches_.extract(name)) {
    on_branch(branch.mapped(), content);
  } else if (closing_) {
    if (const auto report = closing_->asked.extract(name))
      on_report(report.mapped(), content);
  }
}

void Supervisor::on_up_answer(const ChildActor& actor, const caf::message& content) {
  auto* place = find(actor);
  if (!place)
    return;
  place->asked = 0;
  if (!content.match_elements<caf::error>()) {
    if (!place->is_told)
      place->enter();
    take(supervisor_input::ChildUp{actor});
    return;
  }
  const auto& error = content.get_as<caf::error>(0);
  place->error = error;
  take(supervisor_input::ChildNotUp{actor, cause_of(error), decide(actor, error)});
}

Directive Supervisor::decide(const ChildActor& actor, const caf::error& error) const {
  return detail::decide(options_->decider, id_of(actor), error);
}

// -- control ------------------------------------------------------------------------

Ticket Supervisor::admit(const std::string& id, bool wants_child) {
  clients_.emplace(++last_ticket_, Client{open_request(), id, {}, wants_child});
  return last_ticket_;
}

Ticket Supervisor::admit_child(const std::string& id, Place place) {
  clients_.emplace(++last_ticket_, Client{open_request(), id, std::move(place), true});
  return last_ticket_;
}

// A client that used a plain send gets no error, because a bare error would end it.
void Supervisor::refuse(compat::OpenRequest client, const std::string& child, caf::error error) {
  if (client.client && !client.is_request())
    tell(supervisor_event::ControlRefused{now(), child, cause_of(error)});
  RequestingActor::refuse(client, std::move(error));
}

void Supervisor::on_start_child(const StartChild& x) {
  if (dynamic_child_) {
    refuse(
      open_request(), x.spec.id,
      caf::make_error(
        caf::sec::invalid_argument,
        std::string{"a dynamic supervisor starts children from its template only: send AddChild"}));
    return;
  }
  auto problems = check(x.spec);
  if (x.spec.options.is_significant && options_->auto_shutdown == AutoShutdown::never)
    problems.add("options.is_significant", "true", "false, unless auto_shutdown is set");
  auto place = place_of(x.spec, std::make_shared<const ChildOptions>(x.spec.options));
  if (addresses_.count(place.address_key()) != 0 && !engine_.find(x.spec.id))
    problems.add("address", "that of another child", "an address of its own");
  if (!problems.empty()) {
    refuse(open_request(), x.spec.id,
           caf::make_error(caf::sec::invalid_argument, to_string(problems)));
    return;
  }
  ChildEntry entry{x.spec.id, place.options};
  take(supervisor_input::StartChild{admit_child(entry.id, std::move(place)), std::move(entry)});
}

void Supervisor::on_add_child(const AddChild& x) {
  if (!dynamic_child_) {
    refuse(open_request(), x.id,
           caf::make_error(caf::sec::invalid_argument,
                           std::string{"this supervisor has no template: send StartChild"}));
    return;
  }
  Place place;
  place.arguments = x.arguments;
  place.options = dynamic_child_;
  place.kind = dynamic_kind_;
  take(supervisor_input::StartChild{admit_child(x.id, std::move(place)), {x.id, dynamic_child_}});
}

bool Supervisor::is_told_of_end(const caf::actor_addr& who) const {
  return by_address_.count(caf::actor_cast<caf::abstract_actor*>(who)) != 0;
}

void Supervisor::on_await_up() {
  auto client = open_request();
  if (engine_.phase() == SupervisorPhase::running)
    answer_request(client, {});
  else
    await_up_.push_back(std::move(client));
}

// -- status -------------------------------------------------------------------------

Children Supervisor::which_children() {
  Children children;
  const auto names = engine_.children();
  children.list.reserve(names.size());
  for (const auto& name : names) {
    const auto& place = places_[name.slot];
    auto status = *engine_.status(name, now());
    if (place.actor)
      status.name = {std::string{place.make.kind()}, place.actor.id()};
    children.list.push_back({std::move(status), place.kind, place.actor});
  }
  return children;
}

void Supervisor::tell_spec(const std::string& id) {
  auto client = open_request();
  if (const auto child = engine_.find(id))
    answer_request(client, caf::make_message(spec_of(id, places_[child->slot])));
  else
    refuse(client, id, make_error(SupervisorError::not_found));
}

void Supervisor::tell_tree() {
  OpenTree open{open_request(), {}, 0};
  if (!open.request.client)
    return;
  const auto number = ++last_request_;
  open.tree.name = name_;
  open.tree.phase = engine_.phase();
  open.tree.counts = engine_.count();
  for (auto& child : which_children().list) {
    if (child.kind == ChildKind::supervisor && child.status.state == ChildState::running) {
      const auto asked = by_address_.at(caf::actor_cast<caf::abstract_actor*>(child.actor));
      branches_[++last_request_] = {number, open.tree.children.size(), asked};
      make_request(last_request_, child.actor, caf::make_message(GetTree{}),
                   compat::Priority::high);
      ++open.missing;
    }
    open.tree.children.push_back({std::move(child.status), child.kind, {}});
  }
  if (open.missing == 0)
    compat::respond(open.request, caf::make_message(std::move(open.tree)), ctrl());
  else
    trees_.emplace(number, std::move(open));
}

void Supervisor::on_branch(const Branch& branch, const caf::message& content) {
  const auto open = trees_.find(branch.tree);
  if (content.match_elements<SupervisionTree>())
    open->second.tree.children[branch.place].children = content.get_as<SupervisionTree>(0).children;
  if (--open->second.missing > 0)
    return;
  compat::respond(open->second.request, caf::make_message(std::move(open->second.tree)), ctrl());
  trees_.erase(open);
}

// Needed because CAF sends no error response for an actor of another node that has ended.
void Supervisor::cut_branches_of(const ChildActor& actor) {
  for (auto it = branches_.begin(); it != branches_.end();) {
    if (it->second.actor != actor) {
      ++it;
      continue;
    }
    const auto branch = it->second;
    it = branches_.erase(it);
    on_branch(branch, {});
  }
}

ChildSpec Supervisor::spec_of(const std::string& id, const Place& place) const {
  ChildSpec spec;
  spec.id = id;
  spec.make = place.make;
  if (dynamic_child_)
    spec.make = [make = make_dynamic_, arguments = place.arguments](
                  caf::event_based_actor* supervisor) { return make(supervisor, arguments); };
  spec.options = *place.options;
  spec.kind = place.kind;
  if (place.address)
    spec.address = *place.address;
  return spec;
}

Cause Supervisor::cause_of(const caf::error& error) const {
  return compat::cause_of(home_system(), error, true);
}

} // namespace backoff_actor
