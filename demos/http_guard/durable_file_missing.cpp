#include "durable_file.hpp"

#include "backoff_actor/delivery/store_error.hpp"

namespace http_guard {

std::shared_ptr<backoff_actor::DeliveryStore> open_durable_file(const std::filesystem::path& file) {
  throw backoff_actor::StoreError(backoff_actor::StoreFailure::cannot_open,
                                  file.string()
                                    + ": this program was built without SQLite; install "
                                      "libsqlitecpp-dev and libsqlite3-dev, and build it again");
}

} // namespace http_guard
