#include "src/base/notes.hpp"

#include <utility>

#include "src/base/error.hpp"

namespace minimod {

namespace {

Listener& listener() {
  static Listener current;
  return current;
}

}  // namespace

void hear_notes(Listener next) {
  listener() = std::move(next);
}

void tell(const std::string& note) {
  if (listener()) listener()(note);
}

void tell(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) tell(note);
}

void SummedNotes::add(const std::string& name, const Note& note) {
  Kind& kind = kinds_[note.kind.empty() ? note.words : note.kind];
  if (kind.count++ > 0 && note.size <= kind.worst.size) return;
  kind.name = name;
  kind.worst = note;
}

std::vector<std::string> SummedNotes::lines(std::size_t all) const {
  std::vector<std::string> lines;
  for (const auto& [unused, kind] : kinds_) {
    const std::string of = kind.name.empty() ? "" : text('\'', escaped(kind.name, 60), "'");
    if (all == 1) {
      lines.push_back(kind.worst.words);
    } else if (kind.count == 1) {
      lines.push_back(text(of, of.empty() ? "" : ": ", kind.worst.words));
    } else {
      const std::string how_many = text(kind.count, " of ", all, ' ', things_);
      lines.push_back(of.empty() ? text(kind.worst.words, "; the same in ", how_many)
                                 : text(how_many, ", worst ", of, ": ", kind.worst.words));
    }
  }
  return lines;
}

}  // namespace minimod
