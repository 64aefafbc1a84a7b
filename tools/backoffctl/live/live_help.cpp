#include "live_help.hpp"

namespace backoffctl {

const HelpText serve_help{
  R"(Runs a real HTTP server that is slow under load.

The server answers GET /api on 127.0.0.1 with 200 and OK after --base-delay. If it works on more
than --limit requests at once, it answers after
--base-delay * --factor ^ ((requests - limit) / scale). It checks the number of requests every
50 ms. Every second it prints the number of requests in work and the last delay that it computed.
Ctrl-C ends it. It is the server of "Exponential Backoff or how not to bring down the server"
(smira, 2013).

Stop it with Ctrl-Z or kill -STOP, continue it with fg or kill -CONT, and watch how its clients
(backoffctl load) react.
)",
  R"(
Examples:
  backoffctl serve
      the server of that article, on port 8070
  backoffctl serve --limit 100 --abandoned-work dropped --duration 30s
      a larger server that drops requests of clients that left, for half a minute
  backoffctl serve --port 0 --json
      on any free port, for programs

With --json the first line is {"listening":"127.0.0.1:8070","backlog":4096}; then, each second:
  clock_s              the machine's clock CLOCK_MONOTONIC, in seconds
  concurrency, peak_concurrency
                       requests in work now, and the most within the second
  last_delay_s         the last delay that the server computed, in seconds
  requests             requests that arrived within the second
  answered             requests answered to clients that still waited
  finished_for_nobody  requests finished although the client had left
  worked_on_for_nobody requests in work now although the client has left
  dropped              requests that the server dropped because the client had left

Exit codes:
  0    after --duration
  1    failed, for example because the port is taken
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)"};

const HelpText load_help{
  R"(Runs a thousand real HTTP clients that retry.

Each client thinks for a while and then calls the server. It retries after a delay as long as the
call fails or gets no answer within --timeout. Each call uses a new connection. All clients run in
one process and one thread; with --senders each is an actor that gives its calls to a
BackOffSender. Every five seconds load prints how many calls per second were answered, failed and
timed out. If calls fail, it says on stderr why most of them do. Ctrl-C ends it.

As in the client of "Exponential Backoff or how not to bring down the server" (smira, 2013), the
article below, any answer is OK, even an error of the server. With --policy, --guard or
--senders, an answer other than 2xx is an error, and the client retries the call.
)",
  R"(
Examples:
  backoffctl load
      the clients of the article, which retry every 100 ms
  backoffctl load --exponential-backoff
      the same with the exponential backoff of the article's program
  backoffctl load --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --guard circuit_breaker
      a backoff with jitter, and a circuit breaker that all clients share
  backoffctl load --senders --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --json
      a thousand BackOffSenders, for programs

Keys of the JSON, one object a line:
  clock_s   the machine's clock CLOCK_MONOTONIC, in seconds
  span_s    the length of the period that the line covers, in seconds
  attempts  calls that began
  ok, errors, timedout
            calls that were answered, failed and timed out
  latency_mean_s, latency_max_s
            how long the answered calls took, in seconds
  error     why most of the failed calls failed; null if none did

Exit codes:
  0    after --duration
  1    failed, for example because the process cannot open enough files
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)"};

const HelpText live_outage_help{
  R"(Stops a real server under real load, and shows whether the clients recover.

outage starts a server and a thousand clients on this machine, as backoffctl serve and load do. It
waits until their rate is steady, stops the server with SIGSTOP, continues it, and watches.

The clients have recovered if, from some second at least 30 s before the end, no call fails and
answers come at 95 % of the rate before the outage. That rate must hold in each minute from that
second on (in each 30 s of the last minute) and over the whole remaining time. The check allows for
the noise of random calls: four standard deviations in each minute, two over the whole time. So the
clients can use all but the last 30 s of --watch to recover; the verdict prints how long that is.

The server and the clients end with this command, however the command ends.

Besides the policy, three things decide: how many connections can wait at the server (--backlog),
how much load it bears (--limit, --factor), and whether it works on requests whose clients have
left (--abandoned-work).
)",
  R"(
Examples:
  backoffctl outage
      a fixed delay of 100 ms and an outage of 20 s; runs almost two minutes
  backoffctl outage --policy 'exponential(100ms, x2, cap 30s) | full_jitter' --plot outage.svg
      a backoff with jitter, with a picture
  backoffctl outage --policy 'exponential(1s) | full_jitter' --guard circuit_breaker --senders
      a thousand BackOffSenders that share a circuit breaker
  backoffctl outage --clients 100 --limit 3 --stop-for 3s --warm-up 5s --json --seconds
      a small experiment, for programs

Keys of the JSON, the same as for backoffctl simulate outage: runs, with one object:
  policy, guard, client    what the clients use; client is retry or sender
  recovered, recover_s     whether they recovered, and how many seconds after the outage, else null
  peak_concurrency         the most requests in the server since the outage began
  attempts_during_outage   calls that began while the server was stopped
  rate_before              answers per second before the outage
  lost_work                requests that the server finished, or still worked on at the end,
                           although their clients had left
  with --seconds also
  stopped_s, back_s        when the server was stopped and continued, in seconds since the start
  seconds                  one object for each second: attempts, ok, timed_out (with errors),
                           concurrency, peak_concurrency, latency_s (mean of the answers)

Exit codes:
  0    recovered
  1    failed, for example because the server is too slow even before the outage
  2    bad input; nothing was done
  3    not recovered
  130  ended by Ctrl-C (143: by SIGTERM)
)"};

} // namespace backoffctl
