#include "front.hpp"

#include "kill.hpp"
#include "messages.hpp"
#include "misfortune.hpp"
#include "tree.hpp"

#include "backoff_actor/caf/main/graceful_shutdown.hpp"
#include "backoff_actor/caf/messages/errors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/timespan.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace supervised_service {

namespace {

constexpr auto plain_text = "text/plain";

std::string text_of(const std::string& item, const Price& price) {
  char amount[32];
  std::snprintf(amount, sizeof amount, "%lld.%02lld", static_cast<long long>(price.cents / 100),
                static_cast<long long>(price.cents % 100));
  return item + " costs " + amount + ", says " + price.found_by
         + (price.was_known ? ", as before\n" : "\n");
}

void refuse(const std::string& why, httplib::Response& response) {
  response.status = 503;
  response.set_header("Retry-After", "1");
  response.set_content("not now: " + why + '\n', plain_text);
}

// A handler before which no body is read: that of `curl -X POST`, which does not say that it has
// none, would be waited for.
httplib::Server::HandlerWithContentReader without_body(httplib::Server::Handler handler) {
  return
    [handler = std::move(handler)](const httplib::Request& request, httplib::Response& response,
                                   const httplib::ContentReader&) { handler(request, response); };
}

// [missing]
// Names the children that are not running, at any depth.
void list_missing(const std::vector<backoff_actor::TreeNode>& nodes, std::string& names) {
  for (const auto& [status, kind, children] : nodes) {
    if (status.state != backoff_actor::ChildState::running)
      names += to_string(status) + '\n';
    list_missing(children, names);
  }
}
// [missing]

} // namespace

Front::Front(caf::actor_config& config, int port, caf::actor_addr root,
             std::shared_ptr<const Parts> parts, Desk* desk)
  : caf::event_based_actor(config), actors_(home_system()), root_(std::move(root)),
    parts_(std::move(parts)), desk_(*desk) {
  const auto handler = [this](void (Front::*member)(const httplib::Request&, httplib::Response&)) {
    return [this, member](const httplib::Request& request, httplib::Response& response) {
      try {
        (this->*member)(request, response);
      } catch (const std::exception& error) {
        refuse(error.what(), response);
      }
    };
  };
  server_.emplace(port, [&](httplib::Server& server) {
    server.Get("/price/([A-Za-z0-9._-]{1,64})", handler(&Front::price));
    server.Get("/(tree|tree.json)", handler(&Front::tree));
    server.Get("/healthz", handler(&Front::health));
    server.Post("/kill/([a-z0-9-]{1,64})", without_body(handler(&Front::misfortune)));
    server.Post("/stop", without_body(handler(&Front::stop)));
  });
}

caf::behavior Front::make_behavior() { return {crash_when_told, hang_when_told}; }

void Front::on_exit() { server_.reset(); }

// Nothing is tried again here: the sender does that.
void Front::price(const httplib::Request& request, httplib::Response& response) {
  const std::string item = request.matches[1];
  std::string failure = "the pool is down";
  caf::scoped_actor self{actors_};
  if (const auto receiver = next_sender())
    self->request(receiver, caf::timespan{longest_wait}, GetPrice{item})
      .receive(
        [&](const Price& price) {
          response.set_content(text_of(item, price), plain_text);
          failure.clear();
        },
        [&](const caf::error& error) { failure = backoff_actor::render(actors_, error); });
  ++(failure.empty() ? desk_.answered : desk_.refused);
  if (!failure.empty())
    refuse(failure, response);
}

// One after the other of those that are there; none: there is none.
caf::actor Front::next_sender() {
  const auto& senders = parts_->senders;
  for (std::size_t i = 0; i < senders.size(); ++i)
    if (auto result = senders[turn_++ % senders.size()].current())
      return result;
  return {};
}

backoff_actor::SupervisionTree Front::look() const {
  const auto root = caf::actor_cast<caf::actor>(root_);
  if (!root)
    throw std::runtime_error("root is down");
  return look_at_tree(actors_, root, *parts_);
}

void Front::tree(const httplib::Request& request, httplib::Response& response) {
  if (request.matches[1] == "tree")
    response.set_content(to_string(look()) + '\n', plain_text);
  else
    response.set_content(to_json(look()) + '\n', "application/json");
}

// [health]
void Front::health(const httplib::Request&, httplib::Response& response) {
  std::string missing;
  const auto tree = look();
  list_missing(tree.children, missing);
  if (missing.empty() && tree.phase == backoff_actor::SupervisorPhase::running)
    response.set_content("all is up\n", plain_text);
  else
    refuse(missing.empty() ? std::string{to_string(tree.phase)} : missing, response);
}
// [health]

void Front::misfortune(const httplib::Request& request, httplib::Response& response) {
  const auto how = request.has_param("how") ? request.get_param_value("how") : "crash";
  auto [status, text] = kill(*parts_, request.matches[1], how);
  response.status = status;
  response.set_content(std::move(text) + '\n', plain_text);
}

void Front::stop(const httplib::Request&, httplib::Response& response) {
  backoff_actor::GracefulShutdown::request();
  response.set_content("stopping\n", plain_text);
}

} // namespace supervised_service
