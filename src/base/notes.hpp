/// Notes for the user: lines that are told at once, and those before a run, a line each, however many
/// wavelets or files one is true of.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace minimod {

/// Hears a note, one line without its end.
using Listener = std::function<void(const std::string& note)>;

/// Has `tell` go there from then on; to nobody where it is null, as by itself.
void hear_notes(Listener listener);

/// Tells whoever runs the library.
void tell(const std::string& note);
void tell(const std::vector<std::string>& notes);

/// About one wavelet, say.
struct Note {
  std::string words;
  std::string kind = {};  ///< one for all notes that say the same of others; empty: the words
  double size = 0;        ///< size by which notes of a kind are compared: the greatest is the worst
};

/// Notes about things of one sort, summed to a line a kind.
class SummedNotes {
 public:
  /// `things`: what there are several of, "wavelets".
  explicit SummedNotes(std::string things) : things_(std::move(things)) {}

  /// `name`: of the thing, empty where the words have it.
  void add(const std::string& name, const Note& note);

  /// "3 of 7 wavelets, worst 'w.txt': the wavelet starts …", by kinds, without a name "…; the same in 3 of 7
  /// files"; "'w.txt': the wavelet starts …" where it is true of one, and the words alone where there is but
  /// one (`all` is 1).
  [[nodiscard]] std::vector<std::string> lines(std::size_t all) const;

 private:
  struct Kind {
    std::string name;  ///< name of the worst
    Note worst;
    std::size_t count = 0;
  };

  std::string things_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace minimod
