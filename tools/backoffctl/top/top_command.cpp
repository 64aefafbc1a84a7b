#include "top_command.hpp"

#include "top_frame.hpp"
#include "top_screen.hpp"
#include "top_source.hpp"
#include "top_terminal.hpp"
#include "top_tls.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/live/flag_durations.hpp"
#include "backoffctl/live/live_flags.hpp"
#include "backoffctl/live/live_help.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

class TopCommand final : public Command {
public:
  explicit TopCommand(CLI::App& parser) : Command(parser, top_help.footer) {
    declare_top(flags_, flag_adder(), switch_adder());
  }

  void check(backoff_actor::Problems& problems) override {
    const auto given = flags_.url.value_or("http://127.0.0.1:9464");
    if (const auto url = parse_status_url(given))
      url_ = *url;
    else
      problems.add("URL", backoffctl::quoted(given), "a URL such as http://127.0.0.1:9464");
    if (url_.is_https)
      make_tls_ = make_top_tls(host_of(url_), flags_.tls, problems);
    else if (!url_.host.empty())
      refuse_tls(problems);
    if (flags_.interval)
      interval_ = read_duration("--interval", *flags_.interval, 100ms, longest_live, problems)
                    .value_or(interval_);
    if (flags_.sort) {
      if (const auto order = parse_order(*flags_.sort))
        view_.order = *order;
      else
        problems.add("--sort", backoffctl::quoted(*flags_.sort),
                     "oldest, owed, rate, failures or name");
    }
    view_.filter = flags_.filter.value_or("");
  }

  std::string run() override {
    std::signal(SIGPIPE, SIG_IGN);
    EventLoop loop;
    const EndOnSignal end{loop};
    TopSource source{loop, url_, make_tls_};
    std::optional<TopAnswer> first;
    source.ask([&](const TopAnswer& answer) {
      first = answer;
      loop.stop();
    });
    loop.run();
    exit_code_ = end.exit_code();
    if (!first) // ended by a signal
      return {};
    if (!first->trouble.empty())
      throw std::runtime_error{first->trouble};
    if (flags_.json)
      return first->json;
    const TopMoment moment{address(), clock_text(), std::move(first->status), {}};
    if (!is_terminal(STDIN_FILENO, STDOUT_FILENO))
      return tables_of(moment, view_);
    TopTerminal terminal{STDIN_FILENO, STDOUT_FILENO};
    const TopScreen screen{loop, source, terminal, moment, view_, interval_};
    loop.run();
    exit_code_ = end.exit_code();
    return {};
  }

  int exit_code() const override { return exit_code_; }

private:
  void refuse_tls(backoff_actor::Problems& problems) const {
    const auto refuse = [&](const char* flag, const std::optional<std::string>& given) {
      if (given)
        problems.add(flag, backoffctl::quoted(*given) + " with http",
                     "with https, as in https://127.0.0.1:9464");
    };
    refuse("--authority", flags_.tls.authority);
    refuse("--certificate", flags_.tls.certificate);
    refuse("--key", flags_.tls.key);
  }

  // The program's, without the page.
  std::string address() const {
    const auto page = to_string(url_);
    return page.substr(0, page.rfind("/status"));
  }

  TopFlags flags_;
  HttpUrl url_;
  MakeTls make_tls_;
  TopView view_;
  backoff_actor::Duration interval_ = 1s;
  int exit_code_ = 0;
};

} // namespace

std::unique_ptr<Command> add_top_command(CLI::App& backoffctl) {
  return std::make_unique<TopCommand>(add_subcommand(backoffctl, "top", top_help.description));
}

} // namespace backoffctl
