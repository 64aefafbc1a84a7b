#include "backoff_actor/caf/actor/internal/sender_registry.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace backoff_actor::detail {

namespace {

std::atomic<std::uint32_t> registries{0}; // how many there are
std::atomic<std::uint64_t> last_number{0};

struct RegistryOfSystem {
  Mutex mutex;
  std::unordered_map<const caf::actor_system*, std::weak_ptr<SenderRegistry>>
    by_system BACKOFF_ACTOR_GUARDED_BY(mutex);
};

// Is never destroyed: senders may end later than static objects.
RegistryOfSystem& all() {
  static auto& result = *new RegistryOfSystem;
  return result;
}

} // namespace

// Ends the registration of one sender.
class SenderRegistry::Registration {
public:
  Registration(std::weak_ptr<SenderRegistry> registry, std::uint64_t number)
    : registry_(std::move(registry)), number_(number) {}
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  ~Registration() {
    if (const auto registry = registry_.lock())
      registry->leave(number_);
  }

private:
  std::weak_ptr<SenderRegistry> registry_;
  std::uint64_t number_;
};

std::shared_ptr<SenderRegistry> SenderRegistry::of(const caf::actor_system& system) {
  const Lock lock{all().mutex};
  auto& entry = all().by_system[&system];
  auto result = entry.lock();
  if (!result) {
    result = std::make_shared<SenderRegistry>(system);
    entry = result;
  }
  return result;
}

bool SenderRegistry::is_any() { return registries.load(std::memory_order_relaxed) != 0; }

std::shared_ptr<const void> SenderRegistry::enroll(const caf::actor_system& system,
                                                   RegisteredSender sender) {
  std::shared_ptr<SenderRegistry> registry;
  {
    const Lock lock{all().mutex};
    const auto it = all().by_system.find(&system);
    if (it != all().by_system.end())
      registry = it->second.lock();
  }
  if (!registry)
    return nullptr;
  const auto number = ++last_number;
  auto result = std::make_shared<const Registration>(registry, number);
  const Lock lock{registry->mutex_};
  registry->senders_.emplace(number, std::move(sender));
  return result;
}

SenderRegistry::SenderRegistry(const caf::actor_system& system) : system_(&system) { ++registries; }

SenderRegistry::~SenderRegistry() {
  --registries;
  const Lock lock{all().mutex};
  const auto it = all().by_system.find(system_);
  if (it != all().by_system.end() && it->second.expired())
    all().by_system.erase(it);
}

std::vector<RegisteredSender> SenderRegistry::senders() const {
  std::vector<std::pair<std::uint64_t, RegisteredSender>> numbered;
  {
    const Lock lock{mutex_};
    numbered.assign(senders_.begin(), senders_.end());
  }
  std::sort(numbered.begin(), numbered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RegisteredSender> result;
  result.reserve(numbered.size());
  for (auto& [number, sender] : numbered)
    result.push_back(std::move(sender));
  return result;
}

void SenderRegistry::wait_for_end(Duration span) {
  Lock lock{mutex_};
  changed_.wait_for(lock, span, [this, before = ends_]() BACKOFF_ACTOR_REQUIRES(mutex_) {
    return ends_ != before;
  });
}

void SenderRegistry::leave(std::uint64_t number) {
  const Lock lock{mutex_};
  senders_.erase(number);
  ++ends_;
  changed_.notify_all();
}

} // namespace backoff_actor::detail
