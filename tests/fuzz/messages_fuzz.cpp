// Whatever bytes come over the network as one of this library's messages: they are refused, or make
// a message that can be printed, is written so that it is read as the same, and does no harm to a
// sender and to a supervisor. The first byte says which message, and how the sender's child
// acknowledges.

#include "require.hpp"

#include "backoff_actor/backoff_actor.hpp"
#include "backoff_actor/caf/calendar/internal/sender_calendar.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/testing/testing.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace backoff_actor;
using testing::VirtualTime;

using Bytes = std::vector<char>;

// A sender at work: one delivery waits at the child, one behind it.
struct Scene {
  explicit Scene(Acknowledgement acknowledgement) {
    SenderOptions options;
    options.acknowledgement = acknowledgement;
    options.capacity = 8;
    sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), options));
    ChildSpec spec;
    spec.id = "child";
    spec.make = danger.factory();
    supervisor = time.keep(spawn_supervisor(time.system(), {spec}));
    time.tell(sender, std::string{"a"});
    time.tell(sender, std::string{"b"});
    time.run();
  }
  ~Scene() { sender = supervisor = nullptr; }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  VirtualTime time;
  testing::DangerousActor danger{"silence..."};
  caf::actor sender;
  caf::actor supervisor;
};

template <class Message>
Bytes written(caf::actor_system& system, Message& message) {
  Bytes result;
  caf::binary_serializer sink{system, result};
  require(!sink(message), "it is not written");
  return result;
}

template <class Message>
void take(Scene& scene, const Bytes& bytes) {
  auto& system = scene.time.system();
  Message message{};
  caf::binary_deserializer source{system, bytes};
  if (source(message))
    return;
  require(!caf::deep_to_string(message).empty(), "it is not printed");
  const auto once = written(system, message);
  Message again{};
  caf::binary_deserializer second{system, once};
  require(!second(again), "what was written is not read");
  require(written(system, again) == once, "what was read is not written the same");
  scene.time.tell(scene.supervisor, message);
  scene.time.tell(scene.sender, std::move(message));
  scene.time.run();
  scene.time.advance(std::chrono::minutes{2});
}

using Take = void (*)(Scene&, const Bytes&);

constexpr Take takes[] = {
  take<TrackedMsg>,
  take<Sent>,
  take<Nack>,
  take<Reject>,
  take<Working>,
  take<RetryAfter>,
  take<Submit>,
  take<Accepted>,
  take<DeadLetter>,
  take<SenderStatus>,
  take<Drain>,
  take<Drained>,
  take<RetriedReply>,
  take<GuardClosed>,
  take<WakeUp>,
  take<Status>,
  take<RetryNow>,
  take<Reset>,
  take<Pause>,
  take<Resume>,
  take<Stop>,
  take<BeginRetries>,
  take<AddChild>,
  take<StartedChild>,
  take<TerminateChild>,
  take<RestartChild>,
  take<DeleteChild>,
  take<RetryChildNow>,
  take<WhichChildren>,
  take<Children>,
  take<CountChildren>,
  take<GetSpec>,
  take<GetTree>,
  take<AwaitUp>,
  take<ChildCounts>,
  take<SupervisionTree>,
  take<CurrentChild>,
  take<ChildHandle>,
  take<GoOn>,
  take<StoreNews>,
  take<StartNews>,
  take<Stopped>,
  take<FinishWork>,
  take<WorkFinished>,
  take<OperatorNews>,
  take<WorkerRequest>,
  take<Blamed>,
  take<SleepOver>,
  take<IncomingNews>,
  take<CatchUp>,
  take<Cancel>,
  take<CancelAnswer>,
  take<Cancelled>,
  take<Replace>,
  take<Ask>,
  take<AskAnswer>,
  take<Repeat>,
  take<RepeatAnswer>,
  take<CalendarLook>,
  take<OfferWorkers>,
  take<WorkersTaken>,
  take<WithdrawWorkers>,
  take<MakeWorker>,
  take<Resize>,
  take<RetireWorker>,
  take<detail::AskNote>,
  take<detail::WorkingOn>,
};

// All of the library's types but eight, which cannot be sent: `ChildSpec`, `StartChild`, and what
// the threads of an outbox and a process that stands by are told.
using Block = caf::id_block::backoff_actor;
static_assert(std::size(takes) == Block::end - Block::begin - 8);

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  Scene scene{data[0] >= 128 ? Acknowledgement::by_sent : Acknowledgement::by_reply};
  takes[data[0] % 128 % std::size(takes)](scene, Bytes{data + 1, data + size});
  return 0;
}
