// http_guard: a service that fails all the time, a worker without a line of retry code, and one
// BackOffSender, behind which no request is lost.

#include "clients.hpp"
#include "common/temporary_folder.hpp"
#include "durable_file.hpp"
#include "go_on.hpp"
#include "life.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "run.hpp"
#include "run_record.hpp"
#include "service_process.hpp"
#include "summary.hpp"

#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <curl/curl.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace http_guard {

namespace {

int exit_code(const Options& options, const EarlyEnd& early_end, const Counts& counts,
              const std::optional<Verdict>& verdict) {
  if (!early_end.error.empty() || (verdict && verdict->lost + verdict->too_early > 0))
    return exit_failed;
  if (counts.acknowledged == options.requests - options.poison
      && counts.dead_lettered == options.poison)
    return exit_all_acknowledged;
  return early_end.signal ? 128 + *early_end.signal : exit_failed;
}

// The ids of the requests that always fail, evenly spread.
std::vector<std::string> poison_of(const Options& options, const Life& life) {
  const Jobs jobs{options.requests, life.job_prefix()};
  std::vector<std::string> result;
  for (std::uint64_t i = 1; i <= options.poison; ++i)
    result.push_back(jobs.id_of(i * options.requests / (options.poison + 1)));
  return result;
}

// Opens the file of the durable outbox, and says what it owes.
void open_outbox(const Options& options,
                 const std::optional<backoff_actor::Observatory>& observatory, Life& life) {
  const auto store = open_durable_file(options.durable);
  if (!life.run)
    life.run = store->last_id();
  life.outbox = {store,
                 backoff_actor::durable<std::string>(),
                 {.name = "http_worker", .observed_by = observatory}};
  if (const auto owed = life.outbox.suspended(); owed > 0)
    std::cout << options.durable.string() << " owes " << owed
              << " requests from before: they go first" << std::endl;
}

void serve(const backoff_actor::Observatory& observatory, std::uint16_t port,
           std::optional<backoff_actor::WebServer>& web) {
  backoff_actor::WebOptions options;
  options.port = port;
  if (const auto* const token = std::getenv("HTTP_GUARD_TOKEN"))
    options.token = token;
  try {
    web.emplace(observatory, options);
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string{"--watch: "} + error.what());
  }
}

int demo(const Options& options, Life life) {
  std::signal(SIGPIPE, SIG_IGN);
  curl_global_init(CURL_GLOBAL_DEFAULT);

  const std::optional<backoff_actor::Observatory> observatory{std::in_place};
  std::optional<backoff_actor::WebServer> web;
  serve(*observatory, options.watch.value_or(0), web);
  std::cout << "watch it at http://127.0.0.1:" << web->port() << "/" << std::endl;
  if (!options.durable.empty())
    open_outbox(options, observatory, life);
  std::optional<ServiceProcess> service;
  Ledger before;
  if (options.url.empty()) {
    service.emplace(life.folder / "ledger.txt", options.seed, poison_of(options, life));
    before = service->ledger();
    service->start();
  }
  RunRecord record{counts_before(life)};
  Jobs jobs{options.requests, life.job_prefix()};
  const auto early_end =
    run(options, life, service ? &*service : nullptr, observatory, record, jobs);

  std::optional<Verdict> verdict;
  if (service) {
    service->kill();
    verdict = verdict_on(options, jobs, before, service->ledger());
  }
  const auto counts = record.counts();
  const auto timeline = record.timeline();
  if (!early_end.error.empty())
    std::cerr << "http_guard: " << early_end.error << '\n';
  print_summary(options, counts, timeline);
  if (life.outbox)
    print_durable_summary(life, counts, verdict);
  const auto complaint = draw_picture(timeline, headline(counts, verdict), options.picture);
  std::cout << (complaint.empty() ? "picture: " + options.picture.string()
                                  : "no picture: " + complaint)
            << '\n'
            << last_line(counts, verdict) << std::endl;
  if (options.watch && early_end.error.empty() && !early_end.signal) {
    std::cerr << "it goes on until Ctrl-C, with a service that fails now and then" << std::endl;
    go_on(options, service ? &*service : nullptr, *observatory);
  }
  return exit_code(options, early_end, counts, verdict);
}

// What is thrown becomes an exit code.
template <class Demo>
int exit_code_of(Demo demo) {
  try {
    return demo();
  } catch (const backoff_actor::StoreError& error) {
    std::cerr << "http_guard: --durable: " << error.what() << '\n';
    return exit_bad_input;
  } catch (const std::exception& exception) {
    std::cerr << "http_guard: " << exception.what() << '\n';
    return exit_failed;
  }
}

int live(const Options& options, Life life) {
  return exit_code_of([&] { return demo(options, std::move(life)); });
}

int demo_once_or_twice(const Options& options) {
  const example::TemporaryFolder folder{"http_guard"};
  Life life{.folder = folder.path()};
  if (!options.kill_self)
    return demo(options, std::move(life));
  life.run = open_durable_file(options.durable)->last_id();
  return live_twice(options, std::move(life), live);
}

} // namespace

} // namespace http_guard

int main(int argc, char** argv) {
  return http_guard::exit_code_of([&] {
    const auto parsed = http_guard::parse_options(argc, argv);
    if (const auto* code = std::get_if<int>(&parsed))
      return *code;
    return http_guard::demo_once_or_twice(std::get<http_guard::Options>(parsed));
  });
}
