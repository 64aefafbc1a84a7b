// rest_client: GET requests with the exponential backoff that the documentation of a cloud service
// prescribes to its clients, against a service of its own that fails, or any other.

#include "common/arguments.hpp"
#include "common/reserved_port.hpp"
#include "demo_service.hpp"
#include "patient_get.hpp"

#include "backoff_actor/backoff/policy.hpp"

#include <curl/curl.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace rest_client {

namespace {

using namespace std::chrono_literals;
using backoff_actor::GaveUp;
using backoff_actor::Limits;
using backoff_actor::Memorystore;

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

constexpr auto help =
  R"(usage: rest_client [URL] [--max SPAN] [--max-retries N]

Makes a GET request, and retries it if the answer is 5xx or 429, or if there is no answer. Before
retry n + 1 (n = 0, 1 ...) it waits min(2^n s + a random span of up to 1000 ms, --max). If the
server asks for more in Retry-After, it waits that long, up to 5 minutes. It does not retry other
answers. An attempt may take 10 s. The body goes to stdout, everything else to stderr.

Without a URL, the program shows this on its own service in about ten seconds: a path that fails
twice, a path that answers 429 with Retry-After, a path that does not exist, and a dead service.

  --max SPAN        the longest wait, such as 32s or 500ms; default 64s
  --max-retries N   number of retries, 0..4294967294; default 10; without a URL the default is 1
                    for the dead service

Example:
  rest_client http://127.0.0.1:8080/status --max 5s --max-retries 3

Exit codes:
  0  the answer was 2xx; without a URL: all went as expected
  1  the answer was not 2xx after the last retry; without a URL: something went wrong
  2  bad input; nothing was requested
)";

struct Options {
  std::optional<std::string> url;
  Memorystore backoff;
  std::optional<std::uint32_t> max_retries;

  Limits limits() const {
    auto result = limits_of(backoff);
    result.attempt_timeout = 10s;
    if (max_retries)
      result.max_attempts = *max_retries + 1;
    return result;
  }
};

std::variant<Options, int> parse_options(int argc, char** argv) {
  backoff_actor::Problems problems;
  auto given = example::read_arguments(argc, argv, {"--max", "--max-retries"}, problems);
  if (given.wants_help) {
    std::cout << help;
    return exit_done;
  }
  Options options;
  for (const auto& argument : given.others)
    if (options.url || !is_http_url(argument))
      problems.add("URL", argument.empty() ? "nothing" : argument,
                   options.url ? "only one" : "a whole URL, such as http://127.0.0.1:8080/status");
    else
      options.url = argument;
  if (given.options.contains("--max")) {
    const auto span = backoff_actor::parse_duration(given.options["--max"]);
    options.backoff.max = span.value_or(0ns);
    if (!span || !check(options.backoff).empty())
      problems.add("--max", given.options["--max"],
                   "1ns.." + backoff_actor::to_string(backoff_actor::max_delay)
                     + ", such as 32s or 500ms");
  }
  if (given.options.contains("--max-retries"))
    options.max_retries = static_cast<std::uint32_t>(
      example::read_number("--max-retries", given.options["--max-retries"], 0,
                           std::numeric_limits<std::uint32_t>::max() - 1, problems));
  if (problems.empty())
    return options;
  example::complain("rest_client", problems);
  return exit_bad_input;
}

int request(const Options& options) {
  const auto result = patient_get(*options.url, options.backoff, options.limits());
  if (result)
    std::cout << result.value->body << std::flush;
  std::cerr << to_string(*options.url, result) << std::endl;
  return result ? exit_done : exit_failed;
}

int demonstrate(const Options& options) {
  const DemoService service;
  const example::ReservedPort nobody;
  const auto dead = "http://127.0.0.1:" + std::to_string(nobody.number()) + "/";

  int succeeded = 0;
  int not_retried = 0;
  int given_up = 0;
  std::uint32_t retries = 0;
  for (const auto& url :
       {service.url() + "/unsteady", service.url() + "/busy", service.url() + "/missing", dead}) {
    auto limits = options.limits();
    if (url == dead && !options.max_retries)
      limits.max_attempts = 2;
    const auto result = patient_get(url, options.backoff, limits);
    std::cout << to_string(url, result) << std::endl;
    retries += result.attempts - 1;
    ++(result ? succeeded : result.reason == GaveUp::not_retryable ? not_retried : given_up);
  }
  std::cout << "requests 4, succeeded " << succeeded << ", not retried " << not_retried
            << ", given up " << given_up << ", retries " << retries << ", too early "
            << service.too_early() << std::endl;
  const auto is_as_it_should =
    succeeded == 2 && not_retried == 1 && given_up == 1 && service.too_early() == 0;
  return is_as_it_should ? exit_done : exit_failed;
}

} // namespace

} // namespace rest_client

int main(int argc, char** argv) {
  try {
    const auto parsed = rest_client::parse_options(argc, argv);
    if (const auto* code = std::get_if<int>(&parsed))
      return *code;
    std::signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    const auto& options = std::get<rest_client::Options>(parsed);
    return options.url ? rest_client::request(options) : rest_client::demonstrate(options);
  } catch (const std::exception& exception) {
    std::cerr << "rest_client: " << exception.what() << '\n';
    return rest_client::exit_failed;
  }
}
