// What is said to the person at the terminal: diagnostics on standard error, with colours where they are wanted.
#pragma once

#include <string>
#include <utility>

#include "mobula/isa/diagnostic.h"

namespace mobula::cli {

/// Of the --color option: "always", "never", or "auto": not where NO_COLOR is set, else where CLICOLOR_FORCE is, or on
/// a terminal.
void set_colour(const std::string& choice);
/// Whether standard output is to have colours.
bool colours_output();

/// Renders to standard error.
void print(const Diagnostics& diagnostics);

/// While it lives, what its thread prints is kept: of several files, it is told in their order.
class KeptDiagnostics {
 public:
  KeptDiagnostics();
  ~KeptDiagnostics();
  KeptDiagnostics(const KeptDiagnostics&) = delete;
  KeptDiagnostics& operator=(const KeptDiagnostics&) = delete;
  Diagnostics take() { return std::move(list_); }

 private:
  friend void print(const Diagnostics& diagnostics);
  Diagnostics list_;
};

}  // namespace mobula::cli
