#include "backoff_actor/caf/remote/internal/node.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace backoff_actor {

namespace {

// The nodes of this process. A node lives as long as its configuration.
struct Nodes {
  detail::Mutex mutex;
  std::unordered_map<const caf::actor_system*, std::weak_ptr<NetworkNode>>
    by_system BACKOFF_ACTOR_GUARDED_BY(mutex);
};

Nodes& nodes() {
  static Nodes result;
  return result;
}

// What a node says on the error stream if nobody takes its events: nothing of ordinary work, and
// at most a line in ten seconds of what strangers can cause.
class ErrorStream {
public:
  void operator()(const NetworkEvent& event) {
    if (severity_of(event) < Severity::warning)
      return;
    const auto is_caused_by_strangers = event.kind == NetworkEvent::Kind::refused
                                        || event.kind == NetworkEvent::Kind::broken_off
                                        || event.kind == NetworkEvent::Kind::no_descriptors;
    auto line = "backoff_actor: network: " + to_string(event);
    if (is_caused_by_strangers) {
      const detail::Lock lock{state_->mutex};
      const auto now = std::chrono::steady_clock::now();
      if (state_->has_said && now - state_->said_at < std::chrono::seconds{10}) {
        ++state_->left_out;
        return;
      }
      if (state_->left_out != 0)
        line.append(" (and ")
          .append(std::to_string(std::exchange(state_->left_out, 0)))
          .append(" others since the last line)");
      state_->has_said = true;
      state_->said_at = now;
    }
    detail::tell_error_stream(line);
  }

private:
  struct State {
    detail::Mutex mutex;
    std::chrono::steady_clock::time_point said_at BACKOFF_ACTOR_GUARDED_BY(mutex){};
    bool has_said BACKOFF_ACTOR_GUARDED_BY(mutex) = false;
    unsigned left_out BACKOFF_ACTOR_GUARDED_BY(mutex) = 0;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace

void NetworkNode::set_up(caf::actor_system_config& config, const NetworkOptions& options) {
  io_compat::on_system(
    config, [node = std::make_shared<NetworkNode>(options)](const caf::actor_system& system) {
      const detail::Lock lock{nodes().mutex};
      std::erase_if(nodes().by_system, [](const auto& x) { return x.second.expired(); });
      nodes().by_system[&system] = node;
    });
}

std::shared_ptr<NetworkNode> NetworkNode::of(caf::actor_system& system) {
  {
    const detail::Lock lock{nodes().mutex};
    if (const auto found = nodes().by_system.find(&system); found != nodes().by_system.end())
      if (auto result = found->second.lock())
        return result;
  }
  io_compat::throw_no_network();
}

door::Door& NetworkNode::door() {
  const detail::Lock lock{mutex_};
  if (!door_) {
    door::DoorOptions options{options_.tls, options_.max_frame, options_.connection_timeout,
                              options_.on_event};
    if (!options.on_event)
      options.on_event = ErrorStream{};
    door_ = std::make_unique<door::Door>(std::move(options));
  }
  return *door_;
}

std::shared_ptr<void> NetworkNode::place_for_worker_of(const caf::node_id& peer) {
  {
    const detail::Lock lock{places_->mutex};
    auto& taken = places_->taken[peer];
    if (taken < options_.max_workers) {
      ++taken;
      return {nullptr, [places = places_, peer](void*) {
                const detail::Lock held{places->mutex};
                const auto found = places->taken.find(peer);
                if (--found->second == 0)
                  places->taken.erase(found);
              }};
    }
  }
  const auto problem = "the node " + caf::to_string(peer) + " has max_workers, "
                       + std::to_string(options_.max_workers) + ", workers here already";
  door().options().on_event({NetworkEvent::Kind::refused, {}, {}, problem});
  throw std::runtime_error(problem);
}

} // namespace backoff_actor
