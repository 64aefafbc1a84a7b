// A worker that calls an HTTP API by libcurl. What the service answers says what follows: the
// sender delivers the order again, or makes a dead letter of it.

#include "payment_service.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>
#include <curl/curl.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;

namespace {

// [worker]
using namespace backoff_actor;

// Charges orders. It blocks while it waits for the service, so spawn it detached.
class Charger : public caf::event_based_actor {
public:
  Charger(caf::actor_config& config, std::string url)
    : caf::event_based_actor(config), url_(std::move(url)),
      curl_(curl_easy_init(), &curl_easy_cleanup) {
    if (!curl_)
      throw std::runtime_error("curl_easy_init failed");
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& order) -> caf::result<std::string> {
      std::string body;
      if (auto error = error_of_http(post(order, body)))
        return error;
      return body;
    }};
  }

private:
  HttpAnswer post(const std::string& order, std::string& body) {
    using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
    const auto key = "Idempotency-Key: " + order; // the service may get an order twice
    const Headers headers{curl_slist_append(nullptr, key.c_str()), &curl_slist_free_all};
    const auto append = [](char* data, std::size_t size, std::size_t count, std::string* text) {
      text->append(data, size * count);
      return size * count;
    };
    char reason[CURL_ERROR_SIZE] = "";
    auto* const curl = curl_.get();
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, order.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, +append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 500L); // shorter than the sender's ack_timeout
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    if (const auto code = curl_easy_perform(curl); code != CURLE_OK)
      return answer_of_http(0, {}, *reason != '\0' ? reason : curl_easy_strerror(code));

    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    std::optional<Duration> wait;
    curl_header* header = nullptr;
    if (curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
      wait = parse_retry_after(
        header->value, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    return answer_of_http(static_cast<int>(status), wait, body);
  }

  std::string url_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
};
// [worker]

int charge_orders() {
  const http_api::PaymentService service;
  const auto url = service.url() + "/charges";
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};

  // [sender]
  SenderOptions options;
  options.name = "charger";
  options.backoff = "exponential(50ms, x2, cap 30s) | full_jitter";
  options.ack_timeout = 30s;
  options.max_attempts = 8;
  options.guard = SharedGuard{parse_guard("circuit_breaker(5 failures, open 10s)")};
  const auto sender = spawn_back_off_sender(system, child_of<Charger, caf::detached>(url), options);
  // [sender]

  caf::scoped_actor self{system};
  int charged = 0;
  int refused = 0;
  for (const auto* order : {"tea", "busy", "slow", "unpaid", "broken"})
    self->request(sender, caf::infinite, std::string{order})
      .receive(
        [&](const std::string& answer) {
          ++charged;
          std::cout << answer << '\n';
        },
        [&](const caf::error& error) {
          ++refused;
          std::cout << order << ": " << render(system, error) << '\n';
        });
  self->send_exit(sender, caf::exit_reason::user_shutdown);
  std::cout << "charged " << charged << ", refused " << refused << ", too early "
            << service.too_early() << std::endl;
  return 0;
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: http_api\n";
    return 2;
  }
  try {
    std::signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return charge_orders();
  } catch (const std::exception& exception) {
    std::cerr << "http_api: " << exception.what() << '\n';
    return 1;
  }
}
