#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <filesystem>
#include <memory>

namespace http_guard {

/// Opens the store of a durable outbox, and makes it if there is none.
///
/// @errors throws `backoff_actor::StoreError` if the file cannot be used, or if this program was
///         built without SQLite.
std::shared_ptr<backoff_actor::DeliveryStore> open_durable_file(const std::filesystem::path& file);

} // namespace http_guard
