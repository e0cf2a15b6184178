import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The service file for systemd or launchd.
struct ServiceFile {
  enum Manager: String, CaseIterable, ExpressibleByArgument {
    case systemd, launchd
    /// The system manager of systemd, which runs one instance per enabled user.
    case systemdSystem = "systemd-system"

    static var ofThisUser: Manager {
      #if canImport(Darwin)
        .launchd
      #else
        .systemd
      #endif
    }
  }

  let folder: String
  let name: String
  let text: String
  /// The commands that start the service, now and at each login, and that stop it.
  let start: String
  let stop: String
  /// The resolved path of the settings file.
  private let settingsPath: String
  private let home: String

  var path: String { "\(folder)/\(name)" }

  /// Returns the service file for the chosen settings file: the installed one, else one with the first free name. Each settings
  /// file has its own service.
  static func own(_ common: CommonOptions, for manager: Manager = .ofThisUser) throws -> ServiceFile {
    let path = absolute(common.settingsPath)
    let all = try units(for: common.namedSettings).map {
      try ServiceFile(common.namedSettings, at: path, for: manager, unit: $0)
    }
    guard let own = all.first(where: \.isInstalled) ?? all.first(where: { !LocalFile.exists($0.path) }) else {
      throw SyncError(.pathFailed, "all names of service files in \(all[0].folder) are in use; remove one")
    }
    return own
  }

  /// True if the file is installed and runs the service with these settings.
  var isInstalled: Bool { runsService(path) }

  /// The path of another service file that runs the service with these settings; nil if there is none.
  var other: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let ending = name.split(separator: ".").last ?? ""
    return names.sorted().filter { $0 != name && $0.hasSuffix(".\(ending)") }.map { "\(folder)/\($0)" }
      .first(where: runsService)
  }

  private func runsService(_ file: String) -> Bool {
    guard let bytes = try? LocalFile.read(file) else { return false }
    return InstalledService(String(decoding: bytes, as: UTF8.self), home: home)?.uses(settingsPath, home: home) ?? false
  }

  /// The possible names of the unit: `syncd`, and names derived from the settings file.
  private static func units(for settings: String?) -> [String] {
    let parts = (settings ?? "").split(separator: "/").map(String.init)
    var name = parts.last.map { $0.hasSuffix(".toml") ? String($0.dropLast(5)) : $0 } ?? "default"
    if ["settings", "syncd"].contains(name), parts.count > 1 { name = parts[parts.count - 2] }
    let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
    return ["syncd", "syncd-\(safe)"] + (2..<100).map { "syncd-\(safe)-\($0)" }
  }

  /// Creates the file for the running program.
  ///
  /// - Parameters:
  ///   - settings: the settings file; nil for the default one.
  ///   - path: its resolved path.
  ///   - unit: the name of the service.
  private init(_ settings: String?, at path: String, for manager: Manager, unit: String) throws {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"] ?? ""
    (settingsPath, self.home) = (path, home)
    let words = [try Self.program()] + (settings.map { ["--settings", $0] } ?? [])
    switch manager {
    case .systemd:
      let base = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
      folder = "\(base)/systemd/user"
      name = "\(unit).service"
      text = SystemdUnit.user.text(words)
      start = "systemctl --user daemon-reload && systemctl --user enable --now \(unit)"
      stop = "systemctl --user disable --now \(unit)"
    case .systemdSystem:
      folder = "/etc/systemd/system"
      name = "\(unit)@.service"
      text = SystemdUnit.system.text(words)
      start = "systemctl daemon-reload && systemctl enable --now \(unit)@USER"
      stop = "systemctl disable --now \(unit)@USER"
    case .launchd:
      let label = LaunchAgent.label + unit.dropFirst("syncd".count).replacing("-", with: ".", maxReplacements: 1)
      folder = "\(home)/Library/LaunchAgents"
      name = "\(label).plist"
      text = LaunchAgent.text(words, label: label, log: "\(home)/Library/Logs/\(unit).log")
      start = "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/\(label).plist"
      stop = "launchctl bootout gui/$(id -u)/\(label)"
    }
  }

  /// Returns the full path of the running program.
  static func program() throws(SyncError) -> String {
    let called = CommandLine.arguments.first ?? "syncd"
    if called.contains("/") { return absolute(called) }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let found = folders.map({ "\($0)/\(called)" }).first(where: LocalFile.exists) else {
      throw SyncError(.notFound, "cannot find \(called) in PATH; run it by its full path")
    }
    return found
  }

  static func absolute(_ path: String) -> String {
    let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return FolderNames.resolved(path)
  }
}

/// A launchd agent for one user (launchd.plist(5)).
private enum LaunchAgent {
  static let label = "org.syncd.agent"

  /// Returns the agent with the same properties as the systemd unit, as far as launchd has them: the umask is decimal there,
  /// and a successful exit is not restarted.
  static func text(_ words: [String], label: String, log: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>\(label)</string>
      <key>ProgramArguments</key>
      <array>
    \(text(of: words))
      </array>
      <key>RunAtLoad</key>
      <true/>
      <key>KeepAlive</key>
      <dict>
        <key>SuccessfulExit</key>
        <false/>
      </dict>
      <key>ThrottleInterval</key>
      <integer>10</integer>
      <key>ExitTimeOut</key>
      <integer>90</integer>
      <key>ProcessType</key>
      <string>Background</string>
      <key>LowPriorityIO</key>
      <true/>
      <key>Nice</key>
      <integer>10</integer>
      <key>Umask</key>
      <integer>63</integer>
      <key>StandardErrorPath</key>
      <string>\(escaped(log))</string>
    </dict>
    </plist>

    """
  }

  /// Returns the arguments, one per line.
  static func text(of words: [String]) -> String {
    words.map { "    <string>\(escaped($0))</string>" }.joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
