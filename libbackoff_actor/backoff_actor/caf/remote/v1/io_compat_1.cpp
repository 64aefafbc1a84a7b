#include "backoff_actor/caf/remote/internal/io_compat.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/defaults.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/settings.hpp>
#include <caf/thread_hook.hpp>
#include <caf/timespan.hpp>

#include <exception>
#include <utility>

namespace backoff_actor::io_compat {

namespace {

constexpr const char* identifiers_key = "caf.middleman.app-identifiers";

template <class... Ts>
bool read(std::span<const std::byte> bytes, Ts&... values) try {
  caf::binary_deserializer source{bytes.data(), bytes.size()};
  return (source.apply(values) && ...);
} catch (const std::exception&) { // such as a size for which there is no memory
  return false;
}

} // namespace

// -- configuration --------------------------------------------------------------

void load_middleman(caf::actor_system_config& config, Duration heartbeat_interval,
                    Duration connection_timeout) {
  caf::io::middleman::init_global_meta_objects();
  // Loading replaces all settings of the middleman, those of a configuration file too, by defaults.
  caf::settings settings;
  if (const auto* const set = caf::get_if<caf::settings>(&config.content, "caf.middleman"))
    settings = *set;
  config.load<caf::io::middleman>();
  for (const auto& [name, value] : settings)
    caf::put(config.content, "caf.middleman." + name, value);
  config.set("caf.middleman.heartbeat-interval", caf::timespan{heartbeat_interval});
  config.set("caf.middleman.connection-timeout", caf::timespan{connection_timeout});
}

std::vector<detail::TypeBlock> own_type_blocks() {
  return {detail::type_block<caf::id_block::backoff_actor_errors>()};
}

std::vector<std::string> identifiers(const caf::actor_system_config& config) {
  if (auto result = caf::get_as<std::vector<std::string>>(config, identifiers_key))
    return std::move(*result);
  return {std::string{caf::defaults::middleman::app_identifier}};
}

void set_identifiers(caf::actor_system_config& config, std::vector<std::string> identifiers) {
  config.set(identifiers_key, std::move(identifiers));
}

void add_worker_type(caf::actor_system_config& config, const std::string& name, Spawn spawn) {
  config.add_actor_factory(name, [spawn = std::move(spawn)](caf::actor_system& system,
                                                            caf::actor_config& actor_config,
                                                            caf::message& arguments) {
    return spawn_or_refuse(spawn, system, actor_config, arguments);
  });
}

// -- the actor system ---------------------------------------------------------------

namespace {

class SystemHook final : public caf::thread_hook {
public:
  explicit SystemHook(std::function<void(caf::actor_system&)> on_made)
    : on_made_(std::move(on_made)) {}

  void init(caf::actor_system& system) override { on_made_(system); }
  void thread_started(caf::thread_owner) override {}
  void thread_terminates() override {}

private:
  std::function<void(caf::actor_system&)> on_made_;
};

} // namespace

void on_system(caf::actor_system_config& config, std::function<void(caf::actor_system&)> on_made) {
  config.add_thread_hook<SystemHook>(std::move(on_made));
}

caf::actor broker_of(caf::actor_system& system) {
  if (!system.has_middleman())
    throw_no_network();
  // CAF has made it when it started, so this only finds it.
  return system.middleman().named_broker<caf::io::basp_broker>("BASP");
}

// -- what a node says first ----------------------------------------------------------

bool decode(std::span<const std::byte> bytes, caf::io::basp::header& header) {
  return read(bytes, header);
}

bool decode(std::span<const std::byte> bytes, GreetingPayload& payload) {
  return read(bytes, payload.node, payload.identifiers, payload.published, payload.interface);
}

} // namespace backoff_actor::io_compat
