/// The key of a property in a settings file: `caFile` is `ca-file`, `apiURL` is `api-url`, `max_delete` is `max-delete`.
func kebabCase(_ name: String) -> String {
  let letters = Array(name)
  var key = ""
  for (index, letter) in letters.enumerated() {
    if letter.isUppercase, index > 0, startsWord(at: index, in: letters) { key.append("-") }
    key.append(letter == "_" ? "-" : letter.lowercased())
  }
  return key
}

/// A capital starts a word unless it stands within an abbreviation, as the R and L of `URL` do.
private func startsWord(at index: Int, in letters: [Character]) -> Bool {
  let afterWord = letters[index - 1].isLowercase || letters[index - 1].isNumber
  let beforeWord = index + 1 < letters.count && letters[index + 1].isLowercase && letters[index - 1].isLetter
  return afterWord || beforeWord
}
