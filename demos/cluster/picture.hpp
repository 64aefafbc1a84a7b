#pragma once

#include "ledger.hpp"
#include "notes.hpp"
#include "run.hpp"

#include "pictures/gnuplot.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cluster {

/// A span in which a worker owned the outbox.
struct Ownership {
  std::string node;
  Micros from = 0;
  Micros to = 0;
};

/// Who owned the outbox when, by the notes: until another did, or the end.
std::vector<Ownership> ownerships(const std::vector<Note>& notes,
                                  const std::vector<FaultRecord>& faults, Micros end);

/// Returns the picture of a run: who owned the outbox when, and what was done to it; below, the
/// calls of the service.
///
/// @param title one line, in plain text
pictures::Picture picture_of(const Run& run, const std::vector<Note>& notes,
                             const std::vector<Call>& calls, const std::string& title);

/// Draws it by gnuplot into an SVG file.
///
/// @return empty, or one line on why there is no picture
std::string draw_picture(const Run& run, const std::vector<Note>& notes,
                         const std::vector<Call>& calls, const std::string& title,
                         const std::filesystem::path& file);

} // namespace cluster
