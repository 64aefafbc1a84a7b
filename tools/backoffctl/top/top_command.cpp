#include "top.hpp"
#include "top_screen.hpp"
#include "top_source.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/live/process.hpp"

#include "backoff_actor/observe/sender_numbers.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr auto top_description =
  R"(Shows what a running program still owes, since when, and why.

top asks a program that has a WebServer for its page /status, and shows its senders, pools, guards,
outboxes and supervisors. The sender with the oldest message comes first. On a terminal the screen
is drawn again each --interval; elsewhere top prints the tables once. It only reads.

The third line answers three questions about the oldest message: whose it is, since when it is
owed, and why. What somebody should look at is red: a message older than a minute, a sender that its
guard or its store holds back, a child that does not end, an open circuit breaker, an outbox that
cannot be written, a supervisor with children that wait for a restart.

Columns of the senders:
  STATE      what holds it back: paused, held back (by its guard), store behind, waiting (for a
             retry), no turn (for a minute); else its phase
  OLDEST     how long its oldest message has been owed
  OWED       messages that it has accepted and not finished
  IN FLIGHT  those of them that a child has
  DONE/S     acknowledged a second since the last look
  FAILURES   crashes, failed starts and hangs of its children
  DEAD       messages that became dead letters
  WHY        what holds it back, and its last failure
A narrow terminal shows fewer columns.

Keys:
  q          quit
  s          sort by another column: oldest, owed, rate, failures, name
  /          show only what has a text; Enter keeps the filter, Esc ends it
  space      freeze the screen, and go on
  up, down, page up, page down
             scroll the senders
  Ctrl-Z     leave it for the shell; fg comes back
)";

// The keys of an object, in lines of 100 characters at most behind its name.
std::string key_lines(const std::string& title, const std::vector<std::string>& keys) {
  constexpr std::size_t indent = 15;
  constexpr std::size_t width = 100;
  auto line = "  " + title;
  line.resize(indent - 1, ' ');
  std::string text;
  for (const auto& key : keys) {
    const auto word = " " + key + (&key == &keys.back() ? "" : ",");
    if (line.size() + word.size() > width) {
      text += line + '\n';
      line.assign(indent - 1, ' ');
    }
    line += word;
  }
  return text + line + '\n';
}

// What `/status` has of senders.
std::string sender_keys() {
  using namespace backoff_actor::detail;
  std::vector<std::string> keys{"name", "phase"};
  const auto add = [&](const auto& table) {
    for (const auto& one : table)
      keys.push_back(one.key);
  };
  add(sender_flags);
  keys.push_back(sender_restarts.key);
  add(sender_gauges);
  add(sender_moments);
  add(sender_dues);
  for (const auto* key :
       {"last_cause", "cause_age_seconds", "dead_letters", "oldest_dead_letter_at"})
    keys.push_back(key);
  auto text = key_lines("senders", keys);
  text +=
    "    pool       workers: starting, serving, waiting, leaving, resting; ready: messages without "
    "one\n";
  keys.clear();
  add(sender_counters);
  return text + key_lines("  counters", keys);
}

constexpr auto top_examples = R"(
Examples:
  backoffctl top
      a program on this machine, at the default port
  backoffctl top http://10.0.0.7:9464 --sort failures
      another machine; senders whose children failed most come first
  backoffctl top localhost:9464 --filter 'held back'
      only senders that a guard holds back
  backoffctl top https://orders.example:9464 --authority ca.pem
      pages by HTTPS, whose certificate ca.pem has signed
  backoffctl top https://orders.example:9464 --authority ca.pem --certificate me.pem --key me.key
      a server that wants a certificate, too
  backoffctl top localhost:9464 --json
      the same for programs

top sees what the program shows at /status: at most 100 supervisors and 100 senders, those with the
largest backlogs and the oldest messages. If the page is served at 127.0.0.1 only, run top on that
machine, or through ssh -L 9464:127.0.0.1:9464 HOST.

A program with WebOptions::tls serves its pages by HTTPS, in TLS 1.3. Its certificate must be signed
by an authority of this machine, or by one in --authority, which then count alone. It must be made
for the host in the URL: a name or a numeric address. There is no way around that. All files are in
PEM format; the key has no passphrase.

Keys of the JSON, which is the page as the program wrote it:
)";

constexpr auto top_other_keys = R"(
  supervisors  name; children: running, starting, waiting, ending, stopped; restarts, escalations
  guards       name, has_breaker, breaker, breaker_for_seconds, probe_in_seconds, has_budget,
               retries_left, has_rate, calls_left
  outboxes     name, commits, failures, waiting_changes, is_failing, failing_for_seconds,
               dead_letters, oldest_dead_letter_at
  ownerships   outboxes that several processes want: name, is_owner, epoch, sure_for_seconds,
               takeovers, next_entry_in_seconds, entry_problems
  senders_left_out, supervisors_left_out
               how many the program did not list

Exit codes:
  0    printed, or ended by q
  1    failed, for example because no program answers there, or its certificate is not right
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)";

class TopCommand final : public Command {
public:
  explicit TopCommand(CLI::App& program)
    : Command(program, "top", top_description, top_examples + sender_keys() + &top_other_keys[1]) {
    add_value(
      "URL", given_,
      "where the program serves its pages, by http or https;\ndefault http://127.0.0.1:9464");
    add_flag("--interval", span(interval_, 100ms, 24h), "SPAN",
             "on a terminal: time from one look to the next,\n100ms..24h; default 1s");
    std::vector<std::pair<std::string, TopOrder>> orders;
    for (std::size_t i = 0; i < top_orders.size(); ++i)
      orders.emplace_back(top_orders[i], static_cast<TopOrder>(i));
    add_flag("--sort", choice(view_.order, orders), "ORDER",
             "sort senders by: oldest, owed, rate, failures or name;\ndefault oldest");
    add_flag("--filter", text(view_.filter), "TEXT",
             "only what has this text: senders in their name, state or\nreason, others in their "
             "name");
    add_flag("--authority", text(tls_.authority), "FILE",
             "with https: certificates of authorities, one of which\nsigned the server's; default "
             "those of this machine");
    add_flag("--certificate", text(tls_.certificate), "FILE",
             "with https: your certificate, if the server wants one");
    add_flag("--key", text(tls_.key), "FILE", "with https: the key of --certificate");
    add_switch("--json", json_, "print the program's status as JSON, once, instead of tables");
  }

  void check(Problems& problems) override {
    const auto written = given_.value_or("http://127.0.0.1:9464");
    if (const auto url = parse_status_url(written))
      url_ = *url;
    else
      problems.add("URL", quoted(written), "a URL such as http://127.0.0.1:9464");
    if (url_.is_https)
      make_tls_ = make_top_tls(host_of(url_), tls_, problems);
    else if (!url_.host.empty())
      refuse_tls(problems);
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
    if (json_)
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

private:
  void refuse_tls(Problems& problems) const {
    for (const auto* flag : {"--authority", "--certificate", "--key"})
      if (is_given(flag))
        problems.add(flag, quoted(given(flag)) + " with http",
                     "with https, as in https://127.0.0.1:9464");
  }

  // The program's, without the page.
  std::string address() const {
    const auto page = to_string(url_);
    return page.substr(0, page.rfind("/status"));
  }

  std::optional<std::string> given_;
  backoff_actor::Tls tls_;
  bool json_ = false;
  HttpUrl url_;
  MakeTls make_tls_;
  TopView view_;
  backoff_actor::Duration interval_ = 1s;
};

} // namespace

void add_top_command(CLI::App& program, Commands& commands) {
  add_command<TopCommand>(program, commands);
}

} // namespace backoffctl
