#pragma once

namespace backoffctl {

/// What the help of a command says before and after its flags.
struct HelpText {
  const char* description;
  const char* footer;
};

/// The help of serve, load, outage and top.
extern const HelpText serve_help;
extern const HelpText load_help;
extern const HelpText live_outage_help;
extern const HelpText top_help;

} // namespace backoffctl
