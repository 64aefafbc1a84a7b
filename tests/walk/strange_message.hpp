#pragma once

#include "supervisor_fixture.hpp"

#include <backoff_actor/caf/calendar/internal/sender_calendar.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <backoff_actor/caf/offered/internal/offer_messages.hpp>

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <iterator>
#include <string>

namespace backoff_actor::actor_test::sender_walk {

/// Any message that a stranger can send, also one that only the library sends; some tell of `whom`.
inline caf::message strange_message(std::uint32_t how, const caf::actor& whom, bool may_end) {
  const auto address = whom ? whom.address() : caf::actor_addr{};
  const auto error = caf::make_error(caf::sec::runtime_error);
  const auto id = std::uint64_t{how} * 0x9e3779b97f4a7c15U;
  const caf::message all[] = {
    caf::make_message(Status{}),
    caf::make_message(Pause{}),
    caf::make_message(Resume{}),
    caf::make_message(RetryNow{}),
    caf::make_message(Reset{}),
    caf::make_message(Drain{std::chrono::milliseconds{how % 50}}),
    caf::make_message(CurrentChild{}),
    caf::make_message(Sent{id, caf::make_message(std::uint64_t{0})}),
    caf::make_message(Nack{id, error}),
    caf::make_message(Reject{id, error}),
    caf::make_message(Working{id}),
    caf::make_message(WakeUp{}),
    caf::make_message(GuardClosed{}),
    caf::make_message(StoreNews{}),
    caf::make_message(IncomingNews{}),
    caf::make_message(CatchUp{}),
    caf::make_message(StartNews{how % 5}),
    caf::make_message(caf::exit_msg{address, caf::exit_reason::normal}),
    // about somebody who is nothing to a sender, this is an order to end
    may_end ? caf::make_message(caf::exit_msg{address, error}) : caf::make_message(caf::exit_msg{}),
    caf::make_message(caf::down_msg{address, error}),
    caf::make_message(error),
    caf::make_message(caf::ok_atom_v, caf::get_atom_v, std::string{"a"}),
    caf::make_message(std::string{"a"}),
    caf::message{},
    caf::make_message(Submit{caf::make_message(std::string{"a"})}),
    caf::make_message(TrackedMsg{id, caf::make_message(std::string{"a"})}),
    caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"}),
    caf::make_message(whom, std::string{"a"}),
    caf::make_message(GetTree{}),
    caf::make_message(WhichChildren{}),
    caf::make_message(RestartChild{std::to_string(how % 3)}),
    caf::make_message(RetryChildNow{std::to_string(how % 3)}),
    caf::make_message(AwaitUp{}),
    caf::make_message(FinishWork{Instant{}, how % 2 == 1}),
    caf::make_message(WorkFinished{}),
    caf::make_message(Repeat{"a", std::to_string(how % 3), caf::make_message(std::string{"a"})}),
    caf::make_message(CalendarLook{Instant{std::chrono::seconds{how % 9}}}),
    caf::make_message(OfferWorkers{how % 3}),
    caf::make_message(WithdrawWorkers{}),
    caf::make_message(WorkersTaken{}),
    caf::make_message(MakeWorker{how % 3}),
  };
  return all[how % std::size(all)];
}

} // namespace backoff_actor::actor_test::sender_walk
