#include "durable_file.hpp"

#include "backoff_actor/store/sqlite_store.hpp"

namespace http_guard {

std::shared_ptr<backoff_actor::DeliveryStore> open_durable_file(const std::filesystem::path& file) {
  return backoff_actor::open_sqlite_store(file);
}

} // namespace http_guard
