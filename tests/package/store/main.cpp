// A stranger's program: what is owed, in a file, without CAF.

#include <backoff_actor/store/sqlite_store.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

int main() {
  using namespace backoff_actor;
  std::string folder = std::filesystem::temp_directory_path() / "backoff_actor-store-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return 1;
  const auto file = std::filesystem::path{folder} / "outbox.db";
  StoredDelivery delivery{.id = 1};
  for (const auto c : std::string{"payload"})
    delivery.message.bytes.push_back(static_cast<std::byte>(c));
  const StoreChange insert = change::Insert{delivery};
  open_sqlite_store(file)->commit({&insert, 1});
  open_sqlite_store(file)->for_each_owed([](const StoredDelivery& owed) {
    std::printf("%llu owed: ", static_cast<unsigned long long>(owed.id));
    for (const auto byte : owed.message.bytes)
      std::putchar(static_cast<int>(byte));
    std::putchar('\n');
  });
  std::filesystem::remove_all(folder);
}
