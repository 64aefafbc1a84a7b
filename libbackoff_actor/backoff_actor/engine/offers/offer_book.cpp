#include "backoff_actor/engine/offers/offer_book.hpp"

#include <algorithm>

namespace backoff_actor {

OfferBook::Offer OfferBook::add(std::uint32_t workers) {
  offers_.emplace(++last_, Entry{State::stands, std::vector<bool>(workers), workers});
  places_ += workers;
  return last_;
}

std::optional<OfferBook::Place> OfferBook::take(std::uint32_t incarnation, std::uint16_t worker) {
  const auto free = [](const auto& x) {
    return x.second.state == State::stands ? x.second.free : 0;
  };
  const auto best = std::ranges::max_element(offers_, {}, free);
  if (best == offers_.end() || free(*best) == 0)
    return std::nullopt;
  auto& [offer, entry] = *best;
  const auto place = std::ranges::find(entry.taken, false);
  *place = true;
  --entry.free;
  const Place result{offer, static_cast<std::uint32_t>(place - entry.taken.begin())};
  children_.emplace(incarnation, Child{result, worker});
  return result;
}

std::optional<OfferBook::State> OfferBook::release(std::uint32_t incarnation) {
  const auto child = children_.extract(incarnation);
  if (!child)
    return std::nullopt;
  const auto [offer, number] = child.mapped().place;
  auto& entry = offers_.at(offer);
  entry.taken[number] = false;
  ++entry.free;
  const auto result = entry.state;
  forget_if_over(offer);
  return result;
}

std::optional<OfferBook::Offer> OfferBook::offer_of(std::uint32_t incarnation) const {
  const auto child = children_.find(incarnation);
  if (child == children_.end())
    return std::nullopt;
  return child->second.place.offer;
}

std::vector<std::uint16_t> OfferBook::end(Offer offer, State state) {
  const auto found = offers_.find(offer);
  if (found == offers_.end() || found->second.state == State::lost)
    return {};
  auto& entry = found->second;
  if (entry.state == State::stands)
    places_ -= static_cast<std::uint32_t>(entry.taken.size());
  entry.state = state;
  std::vector<std::uint16_t> result;
  for (const auto& [incarnation, child] : children_)
    if (child.place.offer == offer)
      result.push_back(child.worker);
  std::ranges::sort(result);
  forget_if_over(offer);
  return result;
}

void OfferBook::forget_if_over(Offer offer) {
  const auto& entry = offers_.at(offer);
  if (entry.state != State::stands && entry.free == entry.taken.size())
    offers_.erase(offer);
}

} // namespace backoff_actor
