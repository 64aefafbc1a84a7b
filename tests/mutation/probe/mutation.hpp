#pragma once

namespace mutation {

/// The most mutants that one build has.
constexpr int most = 4096;

/// One byte for each mutant: whether its place was reached.
unsigned char* marks();

/// Whether this mutant is at work. Marks that its place was reached.
bool is(int number);

} // namespace mutation
