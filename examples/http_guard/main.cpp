// http_guard: a service that fails all the time, a worker without a line of retry code, and one
// BackOffSender, behind which no request is lost.

#include "clients.hpp"
#include "common/signals.hpp"
#include "common/temporary_folder.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "run.hpp"
#include "run_record.hpp"
#include "service_process.hpp"
#include "summary.hpp"

#include <curl/curl.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <optional>

namespace http_guard {

namespace {

int exit_code(const Options& options, const EarlyEnd& early_end, const Counts& counts,
              const std::optional<Verdict>& verdict) {
  if (!early_end.error.empty() || (verdict && verdict->lost + verdict->too_early > 0))
    return exit_failed;
  if (counts.acknowledged == options.requests)
    return exit_all_acknowledged;
  return early_end.signal ? 128 + *early_end.signal : exit_failed;
}

int demo(const Options& options) {
  example::Signals signals; // before any thread
  std::signal(SIGPIPE, SIG_IGN);
  curl_global_init(CURL_GLOBAL_DEFAULT);

  const example::TemporaryFolder folder{"http_guard"};
  std::optional<ServiceProcess> service;
  if (options.url.empty()) {
    service.emplace(folder / "ledger.txt", options.seed);
    service->start();
  }
  RunRecord record;
  Jobs jobs{options.requests};
  const auto early_end = run(options, service ? &*service : nullptr, signals, record, jobs);

  std::optional<Verdict> verdict;
  if (service) {
    service->kill();
    verdict = verdict_on(jobs, service->ledger());
  }
  const auto counts = record.counts();
  const auto timeline = record.timeline();
  if (!early_end.error.empty())
    std::cerr << "http_guard: " << early_end.error << '\n';
  print_summary(options, counts, timeline);
  const auto complaint = draw_picture(timeline, headline(counts, verdict), options.picture, folder);
  std::cout << (complaint.empty() ? "picture: " + options.picture.string()
                                  : "no picture: " + complaint)
            << '\n'
            << last_line(counts, verdict) << std::endl;
  return exit_code(options, early_end, counts, verdict);
}

} // namespace

} // namespace http_guard

int main(int argc, char** argv) {
  try {
    const auto parsed = http_guard::parse_options(argc, argv);
    if (const auto* code = std::get_if<int>(&parsed))
      return *code;
    return http_guard::demo(std::get<http_guard::Options>(parsed));
  } catch (const std::exception& exception) {
    std::cerr << "http_guard: " << exception.what() << '\n';
    return http_guard::exit_failed;
  }
}
