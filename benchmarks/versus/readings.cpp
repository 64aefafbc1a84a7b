#include "versus/readings.hpp"

#include <utility>

namespace versus {

Figure figure_of(std::string subject, std::size_t index) {
  return {{subject}, [=](const Round& round) -> std::optional<double> {
            const auto it = round.find(subject);
            return it == round.end() ? std::nullopt : std::optional{it->second.at(index)};
          }};
}

Figure quotient(Figure a, Figure b) {
  auto subjects = a.subjects;
  subjects.insert(subjects.end(), b.subjects.begin(), b.subjects.end());
  return {std::move(subjects),
          [a = std::move(a.in_round),
           b = std::move(b.in_round)](const Round& round) -> std::optional<double> {
            const auto above = a(round);
            const auto below = b(round);
            if (!above || !below || *below == 0)
              return std::nullopt;
            return *above / *below;
          }};
}

Figure times(Figure a, double factor) {
  return {std::move(a.subjects),
          [a = std::move(a.in_round), factor](const Round& round) -> std::optional<double> {
            const auto number = a(round);
            return number ? std::optional{*number * factor} : std::nullopt;
          }};
}

} // namespace versus
