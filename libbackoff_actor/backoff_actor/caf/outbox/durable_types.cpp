#include "backoff_actor/caf/outbox/durable_types.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

constexpr char between_names = ';';

// Calls `visit` with each name, until it returns false.
template <class Visit>
void for_each_name(std::string_view names, Visit visit) {
  while (!names.empty()) {
    const auto end = std::min(names.find(between_names), names.size());
    if (!visit(names.substr(0, end)))
      return;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

} // namespace

StoredMessage DurableTypes::save(caf::actor_system& system, const caf::message& message) const {
  StoredMessage result;
  for (std::size_t part = 0; part < message.size(); ++part) {
    const auto type = std::find_if(types_.begin(), types_.end(),
                                   [&](const Type& x) { return x.is_part(message, part); });
    if (type == types_.end())
      throw NotStorable{
        compat::type_name(system, message, part).append(" is not one of the durable types")};
    try {
      type->save(message, part, result.bytes);
    } catch (const std::exception& exception) {
      throw NotStorable{type->name + ": " + exception.what()};
    }
    if (part > 0)
      result.types += between_names;
    result.types += type->name;
  }
  return result;
}

caf::message DurableTypes::load(const StoredMessage& stored) const {
  if (const auto* const foreign = find_foreign(stored.types))
    return foreign->decode(stored.bytes);
  std::span<const std::byte> rest{stored.bytes};
  caf::message_builder builder;
  for_each_name(stored.types, [&](std::string_view name) {
    const auto* const type = find(name);
    if (type == nullptr)
      throw std::runtime_error(std::string{name}.append(" is not one of the durable types"));
    try {
      type->load(rest, builder);
    } catch (const std::exception& exception) {
      throw std::runtime_error(type->name + ": " + exception.what());
    }
    return true;
  });
  if (!rest.empty())
    throw std::runtime_error(stored.types + ": " + std::to_string(rest.size())
                             + " bytes are left over, so the stored value has another type");
  return builder.move_to_message();
}

bool DurableTypes::knows(const StoredMessage& stored, std::vector<std::string>& unknown) const {
  auto result = true;
  if (find_foreign(stored.types) != nullptr)
    return true;
  for_each_name(stored.types, [&](std::string_view name) {
    if (find(name) != nullptr)
      return true;
    result = false;
    if (std::find(unknown.begin(), unknown.end(), name) == unknown.end())
      unknown.emplace_back(name);
    return true;
  });
  return result;
}

void DurableTypes::add_foreign(std::string name, ForeignDecoder decoder) {
  Problems problems{"foreign"};
  if (name.empty() || name.find(between_names) != std::string::npos)
    problems.add("name", "'" + name + "'", "a name without ';'");
  else if (find(name) != nullptr || find_foreign(name) != nullptr)
    problems.add("name", "'" + name + "'", "a name that no other type has");
  if (!decoder)
    problems.add("decoder", "none", "a function");
  problems.raise_if_any();
  foreign_.push_back({std::move(name), std::move(decoder)});
}

const DurableTypes::Foreign* DurableTypes::find_foreign(std::string_view name) const {
  const auto found = std::find_if(foreign_.begin(), foreign_.end(),
                                  [&](const Foreign& x) { return x.name == name; });
  return found == foreign_.end() ? nullptr : &*found;
}

const DurableTypes::Type* DurableTypes::find(std::string_view name) const {
  const auto found =
    std::find_if(types_.begin(), types_.end(), [&](const Type& x) { return x.name == name; });
  return found == types_.end() ? nullptr : &*found;
}

void detail::require_text_keys(const std::string& key, const std::string& idempotency_key) {
  for (const auto& [name, value] :
       {std::pair{"key", &key}, std::pair{"idempotency_key", &idempotency_key}})
    if (!is_utf8(*value) || value->find('\0') != std::string::npos)
      throw NotStorable{std::string{name} + ": got " + json_string(*value)
                        + ", allowed in an outbox that several processes share is UTF-8 without "
                          "U+0000: write bytes as hexadecimal digits"};
}

} // namespace backoff_actor
