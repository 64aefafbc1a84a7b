#pragma once

#include "parts.hpp"
#include "web_server.hpp"

#include "backoff_actor/observe/supervision_tree.hpp"

#include <caf/actor_addr.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace supervised_service {

/// No customer waits for longer.
inline constexpr std::chrono::milliseconds longest_wait{1000};

/// The web server as an actor: it listens as long as this lives. What it was answering at its end
/// is answered. For a thread of its own: it waits for that.
class Front : public caf::event_based_actor {
public:
  /// @param root whose tree is shown
  /// @errors throws `std::runtime_error` if the port cannot be listened at.
  Front(caf::actor_config& config, int port, caf::actor_addr root,
        std::shared_ptr<const Parts> parts, Desk* desk);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  // All in threads of the server.
  void price(const httplib::Request& request, httplib::Response& response);
  void tree(const httplib::Request& request, httplib::Response& response);
  void health(const httplib::Request& request, httplib::Response& response);
  void misfortune(const httplib::Request& request, httplib::Response& response);
  void stop(const httplib::Request& request, httplib::Response& response);
  caf::actor next_sender();
  backoff_actor::SupervisionTree look() const;

  caf::actor_system& actors_;
  const caf::actor_addr root_;
  const std::shared_ptr<const Parts> parts_;
  Desk& desk_;
  std::atomic<std::size_t> turn_{0};
  std::optional<WebServer> server_; // the last: its threads use all else
};

} // namespace supervised_service
