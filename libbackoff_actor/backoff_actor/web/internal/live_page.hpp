#pragma once

#include <string>
#include <string_view>

namespace backoff_actor::web {

/// The live page as it is in page.html.
extern const std::string_view live_page_text;

/// Returns the live page for one answer. The browser runs only scripts and styles that have the
/// nonce.
std::string live_page(std::string_view nonce, bool can_act);

/// Returns what a browser may do with a page of this nonce: nothing but to run what is in the page,
/// and to talk to this server. For the header Content-Security-Policy.
std::string policy_of_live_page(std::string_view nonce);

/// Returns a nonce that nobody can guess, of 32 digits in base 16.
std::string new_nonce();

} // namespace backoff_actor::web
