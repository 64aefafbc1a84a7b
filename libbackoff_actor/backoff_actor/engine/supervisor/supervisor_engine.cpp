#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"

#include "backoff_actor/engine/supervisor/internal/supervisor_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

// -- state ----------------------------------------------------------------------------

SupervisorEngine::State::State(std::shared_ptr<const SupervisorEngineOptions> shared,
                               std::vector<ChildEntry> entries)
  : options(std::move(shared)), by_id(0, HashOfId{this}, SameId{this}) {
  children.reserve(entries.size());
  by_id.reserve(entries.size());
  for (auto& entry : entries) {
    const auto slot = add(std::move(entry));
    children[slot].is_first = true;
    children[slot].is_in_row = true;
    set(slot, ChildState::waiting);
  }
}

bool SupervisorEngine::State::is_known(ChildName name) const {
  return name.serial != 0 && name.slot < children.size()
         && children[name.slot].serial == name.serial;
}

SupervisorEngine::State::Slot SupervisorEngine::State::find(std::string_view id) const {
  const auto it = by_id.find(id);
  return it == by_id.end() ? none : *it;
}

SupervisorEngine::State::Slot SupervisorEngine::State::add(ChildEntry entry) {
  auto slot = first_free;
  if (slot != none) {
    first_free = children[slot].next;
    children[slot] = {};
  } else {
    slot = static_cast<Slot>(children.size());
    children.emplace_back();
  }
  auto& child = children[slot];
  child.serial = ++last_serial;
  child.id = std::move(entry.id);
  if (child.id.empty())
    for (child.id = std::to_string(child.serial); find(child.id) != none;)
      child.id += '\'';
  child.options = std::move(entry.options);
  child.progress = child.options->backoff.start();
  child.previous = last;
  child.next = none;
  (last == none ? first : children[last].next) = slot;
  last = slot;
  by_id.insert(slot);
  ++in_state[static_cast<std::size_t>(child.state)];
  return slot;
}

void SupervisorEngine::State::remove(Slot slot) {
  auto& child = children[slot];
  --in_state[static_cast<std::size_t>(child.state)];
  by_id.erase(slot);
  due.erase(slot);
  if (row.cursor == slot)
    row.cursor = row.stage == Row::Stage::ending ? child.previous : child.next;
  (child.previous == none ? first : children[child.previous].next) = child.next;
  (child.next == none ? last : children[child.next].previous) = child.previous;
  child = {};
  child.next = first_free;
  first_free = slot;
}

void SupervisorEngine::State::set(Slot slot, ChildState state) {
  auto& child = children[slot];
  --in_state[static_cast<std::size_t>(child.state)];
  child.state = state;
  ++in_state[static_cast<std::size_t>(state)];
  if (state != ChildState::starting && state != ChildState::running)
    finished(slot); // nobody waits for that any more
}

void SupervisorEngine::State::finished(Slot slot) {
  if (std::exchange(children[slot].is_unfinished, false))
    --unfinished;
}

std::size_t SupervisorEngine::State::alive() const {
  return in_state[static_cast<std::size_t>(ChildState::starting)]
         + in_state[static_cast<std::size_t>(ChildState::running)]
         + in_state[static_cast<std::size_t>(ChildState::ending)];
}

// -- the engine -----------------------------------------------------------------------

SupervisorEngine::SupervisorEngine(std::shared_ptr<const SupervisorEngineOptions> options,
                                   std::vector<ChildEntry> children)
  : state_(std::make_unique<State>(std::move(options), std::move(children))) {}

SupervisorEngine::~SupervisorEngine() = default;
SupervisorEngine::SupervisorEngine(SupervisorEngine&&) noexcept = default;
SupervisorEngine& SupervisorEngine::operator=(SupervisorEngine&&) noexcept = default;

void SupervisorEngine::step(Instant now, const SupervisorInput& input, SupervisorEffects& effects) {
  if (!state_->has_begun && !std::holds_alternative<supervisor_input::Start>(input))
    return;
  Step step{*state_, now, effects};
  std::visit(step, input);
  step.finish();
}

SupervisorPhase SupervisorEngine::phase() const { return state_->phase; }

std::uint64_t SupervisorEngine::count(ChildState state) const {
  return state_->in_state[static_cast<std::size_t>(state)];
}

ChildCounts SupervisorEngine::count() const {
  ChildCounts counts;
  counts.active = state_->alive();
  counts.running = count(ChildState::running);
  counts.waiting = count(ChildState::waiting);
  counts.stopped = count(ChildState::stopped);
  counts.specs = counts.active + counts.waiting + counts.stopped;
  counts.restarts = state_->restarts;
  counts.abandoned = state_->abandoned.size();
  return counts;
}

std::optional<ChildName> SupervisorEngine::find(std::string_view id) const {
  const auto slot = state_->find(id);
  return slot == State::none ? std::nullopt : std::optional{state_->name_of(slot)};
}

std::string_view SupervisorEngine::id_of(ChildName child) const {
  return state_->is_known(child) ? std::string_view{state_->children[child.slot].id}
                                 : std::string_view{};
}

std::vector<ChildName> SupervisorEngine::children() const {
  std::vector<ChildName> names;
  names.reserve(state_->by_id.size());
  for (auto slot = state_->first; slot != State::none; slot = state_->children[slot].next)
    names.push_back(state_->name_of(slot));
  return names;
}

std::optional<ChildStatus> SupervisorEngine::status(ChildName name, Instant now) const {
  if (!state_->is_known(name))
    return std::nullopt;
  const auto& child = state_->children[name.slot];
  const auto& row = state_->row;
  ChildStatus status;
  status.id = child.id;
  status.state = child.state;
  status.restart = child.options->restart;
  status.stopped = child.stopped;
  status.incarnation = child.incarnation;
  status.restarts = child.restarts;
  const auto is_healthy = child.state == ChildState::running
                          && now - child.up_since >= child.options->time_to_be_healthy();
  status.failures = is_healthy ? 0 : child.progress.retries;
  if (child.cause)
    status.cause = child.cause->text;
  if (child.state == ChildState::running)
    status.up_for = now - child.up_since;
  if (child.state != ChildState::waiting)
    return status;
  const auto delay = [&](Instant due) {
    status.is_due = true;
    status.due_in = std::max(Duration::zero(), due - now);
  };
  if (state_->due.contains(name.slot))
    delay(state_->due.key_of(name.slot).at);
  else if (child.is_ready)
    delay(now);
  else if (child.is_in_row
           && (row.stage == State::Row::Stage::ending || row.stage == State::Row::Stage::waiting))
    delay(row.due);
  return status;
}

// What a compiler makes for each alternative is made here alone: that takes it long.

template <detail::AlternativeOf<SupervisorInput::variant> T>
SupervisorInput::SupervisorInput(T x) : variant(std::in_place_type<T>) {
  *std::get_if<T>(this) = std::move(x);
}

SupervisorInput::SupervisorInput(const SupervisorInput& other) : variant() {
  detail::take<variant>(*this, other);
}

SupervisorInput::SupervisorInput(SupervisorInput&& other) noexcept {
  detail::take<variant>(*this, std::move(other));
}

SupervisorInput& SupervisorInput::operator=(const SupervisorInput& other) {
  return *this = SupervisorInput{other};
}

SupervisorInput& SupervisorInput::operator=(SupervisorInput&& other) noexcept {
  if (this == &other)
    return *this;
  detail::take<variant>(*this, std::move(other));
  return *this;
}

SupervisorInput::~SupervisorInput() = default;

template SupervisorInput::SupervisorInput(supervisor_input::Start);
template SupervisorInput::SupervisorInput(supervisor_input::StartChild);
template SupervisorInput::SupervisorInput(supervisor_input::TerminateChild);
template SupervisorInput::SupervisorInput(supervisor_input::RestartChild);
template SupervisorInput::SupervisorInput(supervisor_input::DeleteChild);
template SupervisorInput::SupervisorInput(supervisor_input::RetryNow);
template SupervisorInput::SupervisorInput(supervisor_input::ChildMade);
template SupervisorInput::SupervisorInput(supervisor_input::ChildUp);
template SupervisorInput::SupervisorInput(supervisor_input::StartFailed);
template SupervisorInput::SupervisorInput(supervisor_input::ChildNotUp);
template SupervisorInput::SupervisorInput(supervisor_input::ChildDown);
template SupervisorInput::SupervisorInput(supervisor_input::Wake);
template SupervisorInput::SupervisorInput(supervisor_input::Stop);
template SupervisorInput::SupervisorInput(supervisor_input::ChildFinished);
template SupervisorInput::SupervisorInput(supervisor_input::Finish);

template <detail::AlternativeOf<SupervisorEffect::variant> T>
SupervisorEffect::SupervisorEffect(T x) : variant(std::in_place_type<T>) {
  *std::get_if<T>(this) = std::move(x);
}

SupervisorEffect::SupervisorEffect(const SupervisorEffect& other) : variant() {
  detail::take<variant>(*this, other);
}

SupervisorEffect::SupervisorEffect(SupervisorEffect&& other) noexcept {
  detail::take<variant>(*this, std::move(other));
}

SupervisorEffect& SupervisorEffect::operator=(const SupervisorEffect& other) {
  return *this = SupervisorEffect{other};
}

SupervisorEffect& SupervisorEffect::operator=(SupervisorEffect&& other) noexcept {
  if (this == &other)
    return *this;
  detail::take<variant>(*this, std::move(other));
  return *this;
}

SupervisorEffect::~SupervisorEffect() = default;

template SupervisorEffect::SupervisorEffect(supervisor_effect::KeepChild);
template SupervisorEffect::SupervisorEffect(supervisor_effect::ForgetChild);
template SupervisorEffect::SupervisorEffect(supervisor_effect::StartChild);
template SupervisorEffect::SupervisorEffect(supervisor_effect::TellToEnd);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Kill);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Abandon);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Answer);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Started);
template SupervisorEffect::SupervisorEffect(supervisor_effect::WakeAt);
template SupervisorEffect::SupervisorEffect(supervisor_effect::BeginStop);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Quit);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Finish);
template SupervisorEffect::SupervisorEffect(supervisor_effect::Finished);
template SupervisorEffect::SupervisorEffect(supervisor_effect::HookFailed);

} // namespace backoff_actor
