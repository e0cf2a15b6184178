#include "lines.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sstream>

namespace mesh {

void say(std::string const& line) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string const text = line + "\n";
  for (std::size_t start = 0; start < text.size();) {
    ssize_t const count = ::write(STDOUT_FILENO, text.data() + start, text.size() - start);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(0);
    start += static_cast<std::size_t>(count);
  }
}

std::vector<std::string> words(std::string const& line) {
  std::istringstream stream(line);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

std::string hex(std::string const& bytes) {
  static char const digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (unsigned char const byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

std::optional<std::string> bytes(std::string const& hex) {
  if (hex.size() % 2 != 0) return {};
  std::string found;
  found.reserve(hex.size() / 2);
  for (std::size_t index = 0; index < hex.size(); index += 2) {
    int const high = digit(hex[index]), low = digit(hex[index + 1]);
    if (high < 0 || low < 0) return {};
    found += static_cast<char>(high << 4 | low);
  }
  return found;
}

std::optional<long long> number(std::string const& text, long long limit) {
  if (text.empty() || text.size() > 18) return {};
  long long value = 0;
  for (char const letter : text) {
    if (letter < '0' || letter > '9') return {};
    value = value * 10 + (letter - '0');
  }
  return value <= limit ? std::optional<long long>(value) : std::nullopt;
}

std::string word(std::string text) {
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '-';
  }
  return text.empty() ? "-" : text;
}

}  // namespace mesh
