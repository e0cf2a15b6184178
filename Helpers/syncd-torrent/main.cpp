// The BitTorrent helper of syncd: speaks BitTorrent for one mesh, and lines on standard input and output with its parent.
//
// It has no key: everything that it sends and stores is encrypted by its parent. docs/bittorrent.md describes the lines. It ends when
// standard input ends, so it never outlives its parent.
#include <cstdio>
#include <iostream>
#include <string>

#include "commands.hpp"

int main() {
  std::ios::sync_with_stdio(false);
  mesh::Commands commands;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!commands.run(line)) break;
  }
  commands.end();
  // Destructors of the session wait for trackers; nothing is lost without them.
  std::fflush(stdout);
  std::_Exit(0);
}
