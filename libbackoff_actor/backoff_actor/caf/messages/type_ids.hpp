#pragma once

// The type ids of this library's message types. Every header of a message type includes this file,
// so that a program cannot use a type without an id. CAF 1.x sends the ids over the network: add
// new types at the end. The ids of caf/compat/v1/ begin 90 numbers after the first.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/observe/supervision_tree.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

namespace backoff_actor {

struct TrackedMsg;
struct Sent;
struct WakeUp;
struct Nack;
struct Reject;
struct Working;
struct RetryAfter;
struct Submit;
struct Accepted;
struct DeadLetter;
struct Status;
struct RetryNow;
struct Reset;
struct Pause;
struct Resume;
struct Drain;
struct Drained;
struct Stop;
struct BeginRetries;
struct RetriedReply;
struct GuardClosed;
struct ChildSpec;
struct StartChild;
struct AddChild;
struct StartedChild;
struct TerminateChild;
struct RestartChild;
struct DeleteChild;
struct RetryChildNow;
struct WhichChildren;
struct Children;
struct CountChildren;
struct GetSpec;
struct GetTree;
struct AwaitUp;
struct CurrentChild;
struct ChildHandle;
struct GoOn;
struct StoreNews;
struct StartNews;
struct Stopped;
struct FinishWork;
struct WorkFinished;
struct WorkerRequest;
struct Resize;
struct RetireWorker;
struct OperatorNews;
struct Blamed;
struct LookForOwnership;
struct LookedForOwnership;
struct WriteRows;
struct RowsWritten;
struct SleepOver;
struct IncomingNews;
struct CatchUp;
struct Cancel;
struct CancelAnswer;
struct Cancelled;
struct Replace;
struct Ask;
struct AskAnswer;
struct FindInRows;
struct PassOn;
struct Repeat;
struct RepeatAnswer;
struct CalendarLook;
struct OfferWorkers;
struct WorkersTaken;
struct WithdrawWorkers;
struct MakeWorker;

namespace detail {
struct WorkingOn;
struct AskNote;
} // namespace detail

} // namespace backoff_actor

CAF_BEGIN_TYPE_ID_BLOCK(backoff_actor, caf::first_custom_type_id + 7400)
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::TrackedMsg))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Sent))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WakeUp))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Nack))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Reject))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Working))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RetryAfter))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Submit))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Accepted))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::DeadLetter))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::SenderStatus))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Status))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RetryNow))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Reset))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Pause))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Resume))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Drain))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Drained))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Stop))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::BeginRetries))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RetriedReply))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::GuardClosed))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::ChildSpec))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::StartChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::AddChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::StartedChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::TerminateChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RestartChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::DeleteChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RetryChildNow))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WhichChildren))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Children))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::CountChildren))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::GetSpec))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::GetTree))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::AwaitUp))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::ChildCounts))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::SupervisionTree))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::CurrentChild))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::ChildHandle))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::GoOn))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::StoreNews))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::StartNews))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Stopped))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::FinishWork))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WorkFinished))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WorkerRequest))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Resize))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RetireWorker))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::OperatorNews))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Blamed))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::LookForOwnership))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::LookedForOwnership))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WriteRows))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RowsWritten))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::SleepOver))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::IncomingNews))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::CatchUp))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Cancel))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::CancelAnswer))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Cancelled))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Replace))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::detail::WorkingOn))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::detail::AskNote))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Ask))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::AskAnswer))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::FindInRows))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::PassOn))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::Repeat))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::RepeatAnswer))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::CalendarLook))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::OfferWorkers))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WorkersTaken))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::WithdrawWorkers))
  CAF_ADD_TYPE_ID(backoff_actor, (backoff_actor::MakeWorker))
CAF_END_TYPE_ID_BLOCK(backoff_actor)
