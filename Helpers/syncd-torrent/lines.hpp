// Lines to the parent, and the words of lines from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mesh {

// Writes one line to standard output; may be called on any thread. Ends the process if nobody reads any more.
void say(std::string const& line);

std::vector<std::string> words(std::string const& line);

std::string hex(std::string const& bytes);

// Nothing if the text is not an even number of hexadecimal digits.
std::optional<std::string> bytes(std::string const& hex);

// Nothing if the text is not a number of at most `limit`.
std::optional<long long> number(std::string const& text, long long limit);

// The text on one line without spaces, for the last word of an answer.
std::string word(std::string text);

}  // namespace mesh
