#pragma once

/// @file
/// Matchers for GoogleMock, of logs, answers and ledgers. testing.hpp does not include it.
///
///     EXPECT_THAT(log, SawInOrder(child_down, retry_scheduled(10ms), acknowledged));
///     EXPECT_THAT(answer, Answered("done"));
///     EXPECT_THAT(ledger, LostNothing());
///
/// | matcher | of | matches |
/// | --- | --- | --- |
/// | `SawInOrder(p, ...)` | `EventLog` | such events one after the other, others between them |
/// | `SawExactly(p, ...)` | `EventLog` | these events in this order, and no others |
/// | `Saw(p)` | `EventLog` | such an event |
/// | `SawTimes(n, p)` | `EventLog` | exactly `n` such events |
/// | `SawNone(p)` | `EventLog` | no such event |
/// | `Answered()`, `Answered(m)` | `Answer` | any value; a value equal to `m`, or matched by `m` |
/// | `AnsweredError()` | `Answer` | any error |
/// | `AnsweredError(e)` | `Answer` | an error with code `e`, or whose text has or matches `e` |
/// | `IsPending()` | `Answer` | neither a value nor an error has come |
/// | `LostNothing()` | `Ledger` | each message has ended or is owed; each acknowledged one ran |
/// | `IsBalanced()` | `Ledger` | `LostNothing()`, and each ending is that of one submission |
/// | `HasDuplicates(m)` | `Ledger` | this number of executions beyond one per submission |

#if !__has_include(<gmock/gmock.h>)
#error "backoff_actor/testing/gmock.hpp needs GoogleMock (gmock/gmock.h)"
#endif

#include "backoff_actor/testing/matchers/gmock_answers.hpp"
#include "backoff_actor/testing/matchers/gmock_events.hpp"
#include "backoff_actor/testing/matchers/gmock_ledger.hpp"
