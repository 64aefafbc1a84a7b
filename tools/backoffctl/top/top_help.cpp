#include "backoffctl/live/live_help.hpp"

namespace backoffctl {

const HelpText top_help{
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
)",
  R"(
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
  senders      name, phase, is_paused, is_held_back, is_on_fallback, is_delayed, is_store_behind,
               is_service_down, restarts, owed, owed_bytes, in_flight, ghosts, abandoned,
               oldest_age_seconds, silent_for_seconds, nothing_succeeded_for_seconds,
               due_in_seconds, last_cause, cause_age_seconds, dead_letters, oldest_dead_letter_at
    pool       workers: starting, serving, waiting, leaving, resting; ready: messages without one
    counters   accepted, refused, acknowledged, dead_lettered, hand_overs, resends, nacks, crashes,
               failed_starts, hangs, forwarded, diverted, restored, suspended, late_answers
  supervisors  name; children: running, starting, waiting, ending, stopped; restarts, escalations
  guards       name, has_breaker, breaker, breaker_for_seconds, probe_in_seconds, has_budget,
               retries_left, has_rate, calls_left
  outboxes     name, commits, failures, waiting_changes, is_failing, failing_for_seconds,
               dead_letters, oldest_dead_letter_at
  ownerships   outboxes that several processes want: name, is_owner, epoch, sure_for_seconds,
               takeovers
  senders_left_out, supervisors_left_out
               how many the program did not list

Exit codes:
  0    printed, or ended by q
  1    failed, for example because no program answers there, or its certificate is not right
  2    bad input; nothing was done
  130  ended by Ctrl-C (143: by SIGTERM)
)"};

} // namespace backoffctl
