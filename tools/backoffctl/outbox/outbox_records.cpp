#include "outbox.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace backoffctl {

namespace {

using namespace backoff_actor;
using backoff_actor::detail::one_line;
using Json = nlohmann::ordered_json;

constexpr auto all_digits = 9;

void add_delivery(Json& json, const StoredDelivery& delivery) {
  json["id"] = delivery.id;
  json["submitted_at"] = iso_time(delivery.submitted_at, all_digits);
  json["deadline"] = delivery.deadline ? Json(iso_time(*delivery.deadline, all_digits)) : Json();
  json["attempts"] = delivery.attempts;
  json["key"] = delivery.key;
  json["idempotency_key"] = delivery.idempotency_key;
  if (!delivery.context.empty())
    json["context"] = delivery.context;
  json["types"] = delivery.message.types;
  json["bytes"] = delivery.message.bytes.size();
}

void add_payload(Json& json, const StoredDelivery& delivery, bool with_payload) {
  if (with_payload)
    json["payload"] = base64(delivery.message.bytes);
}

} // namespace

std::string iso_time(WallTime time, int digits) {
  auto result = to_string(time);
  if (digits == 0)
    return result;
  constexpr auto second_ns = std::int64_t{1'000'000'000};
  // A 1 in front keeps the zeros.
  const auto rest =
    std::to_string(second_ns + (time.since_epoch % second_ns + second_ns) % second_ns);
  result.back() = '.';
  return result.append(rest, 1, static_cast<std::size_t>(digits)).append("Z");
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr auto alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group =
        group << 8 | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      result += i + k <= bytes.size() ? alphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

std::string json_line(const StoredDelivery& owed, bool with_payload) {
  Json json;
  json["kind"] = "owed";
  add_delivery(json, owed);
  add_payload(json, owed, with_payload);
  return json_text(json);
}

std::string json_line(const StoredDeadLetter& dead, bool with_payload) {
  Json json;
  json["kind"] = "dead_letter";
  add_delivery(json, dead.delivery);
  json["reason"] = to_string(dead.reason);
  json["cause"] = dead.cause;
  json["at"] = iso_time(dead.at, all_digits);
  add_payload(json, dead.delivery, with_payload);
  if (with_payload)
    json["text"] = dead.text.empty() ? Json() : Json(dead.text);
  return json_text(json);
}

OutboxCounts count_outbox(DeliveryStore& store) {
  OutboxCounts result;
  store.for_each_owed([&](const StoredDelivery&) { ++result.owed; });
  store.for_each_dead_letter([&](const StoredDeadLetter&) { ++result.dead_letters; });
  store.for_each_acknowledged_key([&](const AcknowledgedKey&) { ++result.acknowledged_keys; });
  result.last_id = store.last_id();
  result.message_format = store.message_format();
  return result;
}

std::string counts_text(const OutboxCounts& counts) {
  return "owed " + std::to_string(counts.owed) + ", dead letters "
         + std::to_string(counts.dead_letters) + ", acknowledged keys "
         + std::to_string(counts.acknowledged_keys) + ", last number "
         + std::to_string(counts.last_id) + ", messages written by "
         + (counts.message_format.empty() ? "nobody yet" : one_line(counts.message_format)) + "\n";
}

std::string counts_json(const OutboxCounts& counts) {
  Json json{{"owed", counts.owed},
            {"dead_letters", counts.dead_letters},
            {"acknowledged_keys", counts.acknowledged_keys},
            {"last_id", counts.last_id},
            {"message_format", counts.message_format}};
  return json_text(json);
}

} // namespace backoffctl
