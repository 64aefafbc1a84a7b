#pragma once

#include "part.hpp"
#include "sender_part.hpp"

#include "common/temporary_folder.hpp"

#include <caf/actor_system.hpp>

#include <filesystem>
#include <memory>
#include <vector>

namespace backoff_actor::soak {

/// Senders with durable outboxes in files of SQLite, which are killed, and whose successors go on
/// with what they owed. Now and then a commit fails.
class DurablePart final : public Part {
public:
  /// All begin to work. `shared` must outlive all actors.
  explicit DurablePart(Shared& shared);

  void disturb(double kind, double which) override { senders_->disturb(kind, which); }
  void calm_down() override {}
  void end() override { senders_->end(); }
  std::uint64_t left() const override;

private:
  const example::TemporaryFolder folder_{"backoff_actor-soak"};
  std::vector<std::filesystem::path> files_;
  std::unique_ptr<SenderPart> senders_;
};

} // namespace backoff_actor::soak
