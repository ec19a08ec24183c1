/// The streams that every program has.
#pragma once

namespace minimod {

/// Opens streams that are closed, so that they lead nowhere from here on: the next file to be opened would
/// take the place of one, and get what is printed. Call it first in main.
void open_missing_streams();

/// Writes out what has been printed. Error 74 where stdout did not take all of it, unless nobody reads it any
/// more: that ends no run.
void finish_stdout();

}  // namespace minimod
