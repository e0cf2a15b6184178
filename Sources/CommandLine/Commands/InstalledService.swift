import SyncDaemon

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A service file of any program, as far as it runs syncd: a systemd unit (systemd.service(5), systemd.syntax(7)) or a launchd agent
/// (launchd.plist(5)).
struct InstalledService {
  /// The settings file as the command names it; nil for the default one.
  let settings: String?

  /// Nil unless the file runs syncd continuously.
  init?(_ text: String, home: String) {
    let commands = text.contains("<plist") ? [Self.arguments(inAgent: text)] : Self.commands(inUnit: text, home: home)
    guard let words = commands.first(where: Self.runsService) else { return nil }
    settings = Self.option(in: words) ?? Self.variable(in: text)
  }

  /// Returns true if the service uses the settings file with a resolved path.
  func uses(_ path: String, home: String) -> Bool {
    let variables = ProcessInfo.processInfo.environment.filter { ["HOME", "XDG_CONFIG_HOME"].contains($0.key) }
    let named = settings.map { $0.hasPrefix("/") ? $0 : "\(home)/\($0)" }
    return FolderNames.resolved(SettingsLocation.path(named: named, variables: variables)) == path
  }

  private static func runsService(_ words: [String]) -> Bool {
    // A prefix of the program has a meaning for systemd.
    let program = words.first?.drop { "@-:+!|".contains($0) }.split(separator: "/").last
    return program.map { $0.hasPrefix("syncd") } == true && !words.contains("--once")
  }

  private static func option(in words: [String]) -> String? {
    if let index = words.firstIndex(of: "--settings"), index + 1 < words.count { return words[index + 1] }
    return words.lazy.compactMap { $0.hasPrefix("--settings=") ? String($0.dropFirst("--settings=".count)) : nil }.first
  }

  private static func variable(in text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Environment=") }
    return lines.flatMap { words(in: $0.dropFirst("Environment=".count)) }
      .compactMap { $0.hasPrefix("SYNCD_SETTINGS=") ? String($0.dropFirst("SYNCD_SETTINGS=".count)) : nil }.last
  }

  // MARK: systemd

  private static func commands(inUnit text: String, home: String) -> [[String]] {
    let lines = text.replacing("\\\n", with: " ").split(whereSeparator: \.isNewline)
    return lines.filter { $0.hasPrefix("ExecStart=") }.map { line in
      words(in: line.dropFirst("ExecStart=".count)).map {
        $0.replacing("%h", with: home).replacing("%%", with: "%").replacing("$$", with: "$")
      }
    }
  }

  /// Splits a value at blanks outside of quotes, and removes quotes and backslashes.
  private static func words(in value: Substring) -> [String] {
    var (words, word, quote, isEscaped) = ([String](), String?.none, Character?.none, false)
    for character in value {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        (quote, word) = (character, word ?? "")
      } else if character.isWhitespace {
        words += [word].compactMap(\.self)
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap(\.self)
  }

  // MARK: launchd

  private static func arguments(inAgent text: String) -> [String] {
    guard let key = text.firstRange(of: "<key>ProgramArguments</key>"),
      let end = text[key.upperBound...].firstRange(of: "</array>")
    else { return [] }
    return text[key.upperBound..<end.lowerBound].split(separator: "<string>").dropFirst().compactMap { part in
      part.firstRange(of: "</string>").map { end in
        part[..<end.lowerBound].replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
      }
    }.map(String.init)
  }
}
