// Shows what a program does to Prometheus, Kubernetes and people, until it is told to stop: a
// worker that fails now and then, behind a guard, with an order each 20 milliseconds.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/web/web_server.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

using namespace std::chrono_literals;

caf::behavior packer(caf::event_based_actor*, std::shared_ptr<int> calls) {
  return {[calls](const std::string& order) {
    if (++*calls % 10 == 0)
      throw std::runtime_error("the glass broke");
    return order + " packed";
  }};
}

int run(std::uint16_t port) {
  // [observatory]
  backoff_actor::Observatory observatory;
  const backoff_actor::WebServer web{observatory, {.port = port}};
  // [observatory]

  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system};
  // [scheduler]
  const backoff_actor::SchedulerWatch watch{system, observatory};
  // [scheduler]

  // [sender]
  const backoff_actor::SharedGuard printer{backoff_actor::parse_guard("retry_budget(20%, 1/s)")};
  printer.observed_by(observatory, "printer");

  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.observed_by = observatory;
  options.guard = printer;
  // [sender]
  options.backoff = "fixed(10ms)";
  const auto sender = spawn_back_off_sender(
    system, backoff_actor::child_of(packer, std::make_shared<int>(0)), options);
  shutdown.add(sender);

  std::cout << "until Ctrl-C, metrics are at http://127.0.0.1:" << web.port() << "/metrics"
            << std::endl;
  while (!shutdown.wait_for(20ms))
    caf::anon_send(sender, std::string{"an order"});
  return shutdown.stop();
}

int main(int argc, char** argv) {
  std::uint16_t port = 9464;
  const std::string_view given = argc > 1 ? argv[1] : "9464";
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), port);
  if (argc > 2 || error != std::errc{} || end != given.data() + given.size()) {
    std::cerr << "usage: metrics [PORT]   PORT: 0..65535, 0 is any; default 9464\n";
    return 2;
  }
  try {
    return run(port);
  } catch (const std::exception& exception) {
    std::cerr << "metrics: " << exception.what() << '\n';
    return 2;
  }
}
