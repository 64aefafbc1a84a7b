#include "backoff_actor/caf/remote/internal/remote_start.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/remote/internal/io_compat.hpp"

#include <caf/actor_cast.hpp>

#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

std::string text_of(const caf::actor_system& system, const caf::message& answer) {
  return answer.match_elements<caf::error>() ? compat::render(system, answer.get_as<caf::error>(0))
                                             : "an unexpected answer";
}

} // namespace

void RemotePlan::note_over(caf::actor_id guard) {
  const detail::Lock lock{mutex_};
  if (over_.size() == most_over)
    over_.erase(over_.begin());
  over_.push_back(guard);
}

std::vector<std::uint64_t> RemotePlan::over() const {
  const detail::Lock lock{mutex_};
  return over_;
}

RemoteStart::RemoteStart(caf::actor_config& config, std::shared_ptr<RemotePlan> plan,
                         const caf::actor& supervisor, ChildPromise child)
  : RequestingActor(config), plan_(std::move(plan)), child_(std::move(child)),
    first_(plan_->next.load()) {
  watch_actor(supervisor);
}

caf::behavior RemoteStart::make_behavior() {
  compat::keep_cause(*this);
  keep_alive_ = ctrl();
  auto result = complete(
    [this](const WakeUp&) { on_late(); },
    [this](std::uint64_t number, const std::string& problem) { on_dial(number, problem); });
  dial();
  return result;
}

void RemoteStart::on_exit() {
  if (const auto dial = std::exchange(dial_, nullptr))
    dial->cancel();
  if (has_asked_)
    plan_->note_over(id());
  child_ = {};
  plan_ = nullptr;
  keep_alive_ = nullptr;
  RequestingActor::on_exit();
}

const NodeAddress& RemoteStart::node() const {
  return plan_->nodes[(first_ + tried_) % plan_->nodes.size()];
}

// -- the steps ------------------------------------------------------------------------

void RemoteStart::dial() {
  step_ = Step::dialing;
  ++number_;
  DialOptions options{node().host, node().port};
  options.limit = plan_->options.step_timeout;
  options.checks_types = plan_->options.checks_types;
  options.needs_published_actor = !plan_->worker;
  try {
    // This actor cancels the dial before it ends. So the handle below is never the last one.
    dial_ = Dial::start(home_system(), std::move(options),
                        [self = address(), number = number_](const std::string& problem) {
                          if (const auto alive = caf::actor_cast<caf::actor>(self))
                            compat::enqueue(alive, number, problem);
                        });
  } catch (const std::exception& exception) {
    fail(exception.what());
  }
}

void RemoteStart::on_dial(std::uint64_t number, const std::string& problem) {
  if (number != number_ || step_ != Step::dialing || is_over())
    return;
  if (problem.empty())
    connect();
  else
    fail(problem);
}

void RemoteStart::connect() {
  begin(Step::connecting);
  auto connection = std::exchange(dial_, nullptr)->take_connection();
  ask(io_compat::broker_of(home_system()),
      io_compat::connect_request(home_system(), std::move(connection), node().port));
}

void RemoteStart::on_connected(const caf::message& answer) {
  const auto connected = io_compat::connected(answer);
  if (!connected && io_compat::is_heartbeats_mistake(answer) && !std::exchange(is_again_, true))
    return dial();
  if (!connected)
    return fail("CAF could not connect: " + text_of(home_system(), answer));
  if (plan_->worker)
    spawn_worker(connected->node);
  else if (!connected->published)
    fail("no actor is published there");
  else
    deliver(connected->published, plan_->options.published);
}

void RemoteStart::spawn_worker(const caf::node_id& node) {
  begin(Step::spawning);
  has_asked_ = true;
  WorkerRequest request{this, plan_->arguments, plan_->over()};
  ask(io_compat::middleman_of(home_system()),
      io_compat::spawn_request(node, *plan_->worker, caf::make_message(std::move(request))));
}

void RemoteStart::on_spawned(const caf::message& answer) {
  if (const auto child = io_compat::spawned(answer))
    return deliver(child, Ownership::sole);
  fail("it did not spawn the worker \"" + *plan_->worker + "\": " + text_of(home_system(), answer));
}

void RemoteStart::begin(Step step) {
  step_ = step;
  due_ = now() + plan_->options.step_timeout;
  wake_at(due_);
}

void RemoteStart::ask(const caf::actor& whom, const caf::message& question) {
  make_request(++number_, whom, question, compat::Priority::normal);
}

// -- the results of the steps ---------------------------------------------------------

void RemoteStart::on_response(std::uint64_t number, caf::message&& content,
                              const caf::strong_actor_ptr&) {
  if (number != number_) {
    // This worker came too late: the start has gone on to the next node.
    if (const auto late = io_compat::spawned(content))
      compat::send_exit_now(late, address(), caf::exit_reason::kill);
    return;
  }
  if (is_over())
    return;
  if (step_ == Step::connecting)
    on_connected(content);
  else if (step_ == Step::spawning)
    on_spawned(content);
}

void RemoteStart::on_late() {
  if (is_over())
    return;
  if (now() < due_) // it was sent for an earlier step
    return wake_at(due_);
  const auto within = " within " + to_string(plan_->options.step_timeout);
  if (step_ == Step::connecting)
    fail("it greeted, but did not complete CAF's handshake" + within);
  else if (step_ == Step::spawning)
    fail("it did not spawn the worker \"" + *plan_->worker + '"' + within);
}

void RemoteStart::fail(const std::string& problem) {
  problems_ += (problems_.empty() ? "" : "; ") + to_string(node()) + ": " + problem;
  is_again_ = false;
  if (++tried_ < plan_->nodes.size())
    return dial();
  child_.fail(problems_);
  quit();
}

void RemoteStart::deliver(const caf::actor& child, Ownership ownership) {
  plan_->next = (first_ + tried_ + 1) % plan_->nodes.size();
  child_.deliver(child, ownership);
  child_ = {};
  if (!plan_->worker)
    return quit();
  step_ = Step::guarding;
  watch_actor(child);
}

// Ends this actor if the supervisor no longer wants the child.
bool RemoteStart::is_over() {
  if (step_ == Step::guarding || child_.is_wanted())
    return false;
  quit();
  return true;
}

// The supervisor or the guarded child has ended.
void RemoteStart::on_down(const caf::actor_addr&, const caf::error&) { quit(); }

} // namespace backoff_actor
