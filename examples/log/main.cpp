// Where events go: to a log of its own, in one of three formats, or to CAF's log. A worker fails
// once, and one message is rejected.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

caf::behavior packer(caf::event_based_actor*, std::shared_ptr<bool> has_failed) {
  return {[has_failed](const std::string& order) -> caf::result<std::string> {
    if (order == "glass" && !std::exchange(*has_failed, true))
      throw std::runtime_error("the glass broke");
    if (order == "sand")
      return caf::make_error(caf::sec::invalid_argument, "no box holds sand");
    return order + " packed";
  }};
}

int run(backoff_actor::LogFormat format) {
  caf::actor_system_config config;
  backoff_actor::init(config);

  // [writer]
  // Made before the actor system, so that it outlives it and misses nothing.
  const backoff_actor::LogWriter log{
    {.at_least = backoff_actor::Severity::info, .format = format, .max_per_second = 500}};
  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.on_event = log.hook();
  // [writer]
  options.backoff = "fixed(10ms)";
  caf::actor_system system{config};
  const auto sender = spawn_back_off_sender(
    system, backoff_actor::child_of(packer, std::make_shared<bool>(false)), options);

  caf::scoped_actor self{system};
  for (const std::string order : {"paper", "glass", "sand"})
    self->request(sender, caf::infinite, order)
      .receive([](const std::string& answer) { std::cout << answer << '\n'; },
               [&](const caf::error& error) {
                 std::cout << order << ": " << backoff_actor::render(system, error) << '\n';
               });
  return 0;
}

int main(int argc, char** argv) {
  const std::string format = argc == 1 ? "text" : argv[1];
  for (const auto x : {backoff_actor::LogFormat::text, backoff_actor::LogFormat::logfmt,
                       backoff_actor::LogFormat::json})
    if (argc <= 2 && to_string(x) == format)
      return run(x);
  std::cerr << "usage: log [text|logfmt|json]\n";
  return 2;
}
