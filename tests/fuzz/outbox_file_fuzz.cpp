// Whatever the bytes of a file, it is opened as a store, read and changed, or refused by
// StoreError. What is not known as a store stays as it is.

#include "common/temporary_folder.hpp"
#include "require.hpp"

#include "backoff_actor/store/sqlite_store.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace backoff_actor;

std::string contents(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void read_all(DeliveryStore& store, std::vector<std::uint64_t>& owed,
              std::vector<std::uint64_t>& dead) {
  store.for_each_owed([&](const StoredDelivery& x) { owed.push_back(x.id); });
  store.for_each_dead_letter([&](const StoredDeadLetter& x) { dead.push_back(x.delivery.id); });
  store.for_each_acknowledged_key([](const AcknowledgedKey&) {});
  store.message_format();
}

void commit(DeliveryStore& store, const StoreChange& change) { store.commit({&change, 1}); }

// Uses a store as a sender does, and after it as a person.
void use(DeliveryStore& store) {
  std::vector<std::uint64_t> owed;
  std::vector<std::uint64_t> dead;
  read_all(store, owed, dead);
  const auto id = store.last_id() + 1;
  try {
    commit(store, change::Insert{{.id = id, .message = {"int32_t", {std::byte{1}}}}});
    require(store.last_id() == id, "an insert has another number");
  } catch (const std::logic_error&) {
    require(id > INT64_MAX, "a number above all before it is refused");
  }
  for (const auto one : owed)
    commit(store, one % 2 == 0 ? StoreChange{change::Acknowledge{one, {5}}}
                               : StoreChange{change::Bury{one, {}, 1, "cause", {6}}});
  store.resubmit_dead_letters(dead);
  store.remove_dead_letters(dead);
  commit(store, change::ForgetKeys{{INT64_MAX}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const example::TemporaryFolder folder{"outbox_file_fuzz"};
  const auto file = folder / "outbox.db";
  for (const auto* const suffix : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(file.string() + suffix);
  const std::string given{reinterpret_cast<const char*>(data), size};
  std::ofstream{file, std::ios::binary | std::ios::trunc} << given;
  const SqliteOptions options{.durability = Durability::process_death, .busy_timeout = {}};
  const auto is_refused = [&](const auto& open, const auto& then) {
    try {
      const auto store = open(file, options);
      then(*store);
    } catch (const StoreError& error) {
      require(!std::string{error.what()}.empty(), "an error says nothing");
      if (error.failure() == StoreFailure::foreign || error.failure() == StoreFailure::newer)
        require(contents(file) == given, "a file of somebody else was changed");
    }
  };
  is_refused(open_sqlite_store_to_read, [](DeliveryStore& store) {
    std::vector<std::uint64_t> ignored;
    read_all(store, ignored, ignored);
  });
  is_refused(open_sqlite_store, use);
  return 0;
}
