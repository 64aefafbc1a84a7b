#include "backoff_actor/core/internal/thrown.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <concepts>
#include <cstring>
#include <typeinfo>

namespace backoff_actor::detail {

namespace {

// libstdc++ shows what a pointer holds without throwing it again. Throwing took 9,500 of the 67,000
// instructions of a restart of an actor that throws.
template <class Pointer>
concept SaysItsType = sizeof(Pointer) == sizeof(void*)
                      && requires(const Pointer& thrown, const std::type_info& type, void* object) {
  { thrown.__cxa_exception_type() } -> std::same_as<const std::type_info*>;
  type.__do_catch(&type, &object, 1u);
};

template <class Pointer>
const std::exception* found_in(const Pointer& thrown) {
  if constexpr (SaysItsType<Pointer>) {
    void* object = nullptr;
    std::memcpy(&object, static_cast<const void*>(&thrown), sizeof object);
    constexpr unsigned by_reference = 1; // the ABI's value for a catch by reference
    return typeid(std::exception).__do_catch(thrown.__cxa_exception_type(), &object, by_reference)
             ? static_cast<const std::exception*>(object)
             : nullptr;
  } else {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      return &exception;
    } catch (...) {
      return nullptr;
    }
  }
}

} // namespace

const std::exception* exception_in(const std::exception_ptr& thrown) { return found_in(thrown); }

std::string thrown_text(const std::exception_ptr& thrown) {
  const auto* const exception = exception_in(thrown);
  if (exception == nullptr)
    return "an exception of unknown type";
  const std::string text{exception->what()};
  return text.empty() ? "an exception without a text" : text;
}

std::string failed_hook_line(std::string_view whose, std::string_view text) {
  std::string line{"backoff_actor: "};
  line.append(whose).append(": on_event threw: ").append(text);
  return one_line(line) + "; its next exceptions are not reported";
}

} // namespace backoff_actor::detail
