// Makes the file of a durable outbox: three deliveries that are owed, two dead letters, a key. With
// `calendar`: two entries of a calendar instead, of which one cannot be read.
//
// usage: outbox_sample FILE [calendar|parts]
//   parts: one of the deliveries has a note, and the key an answer

#include "sample_changes.hpp"

#include "backoff_actor/store/sqlite_store.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

void fill_with_entries(backoff_actor::DeliveryStore& store) {
  using namespace backoff_actor;
  store.set_message_format("caf 0.17");
  const std::vector<StoreChange> changes{
    change::Insert{{.id = 1,
                    .key = "customer 7",
                    .idempotency_key = "calendar:report",
                    .context = "repeat: at(02:30, Europe/Berlin, gap run_after, twice first)\n"
                               "missed: skip\ngrace: 90000000000\n"
                               "decided_until: 1774720800000000000\n"
                               "not_before: 1774746000000000000",
                    .message = backoffctl::sample_message("one")}},
    change::Insert{{.id = 2, .message = backoffctl::sample_message("two")}},
    change::Insert{{.id = 3,
                    .idempotency_key = "calendar:broken",
                    .context = "repeat: every(5min)\nmissed: run_all\ngrace: soon",
                    .message = backoffctl::sample_message("three")}}};
  store.commit(changes);
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view more = argc == 3 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && more != "calendar" && more != "parts"))
    return 2;
  try {
    const auto store = backoff_actor::open_sqlite_store(argv[1]);
    if (more == "calendar")
      fill_with_entries(*store);
    else
      backoffctl::fill_with_sample(*store);
    if (more == "parts")
      backoffctl::add_parts_to_sample(*store);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "outbox_sample: %s\n", error.what());
    return 1;
  }
}
