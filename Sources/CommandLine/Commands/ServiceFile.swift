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

  var path: String { "\(folder)/\(name)" }

  /// Creates the file for the running program, and the given settings file, if any.
  init(_ common: CommonOptions, for manager: Manager = .ofThisUser) throws {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"] ?? ""
    let words = [try Self.program()] + (common.namedSettings.map { ["--settings", $0] } ?? [])
    switch manager {
    case .systemd:
      let base = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
      folder = "\(base)/systemd/user"
      name = "syncd.service"
      text = SystemdUnit.user.text(words)
      start = "systemctl --user daemon-reload && systemctl --user enable --now syncd"
      stop = "systemctl --user disable --now syncd"
    case .systemdSystem:
      folder = "/etc/systemd/system"
      name = "syncd@.service"
      text = SystemdUnit.system.text(words)
      start = "systemctl daemon-reload && systemctl enable --now syncd@USER"
      stop = "systemctl disable --now syncd@USER"
    case .launchd:
      folder = "\(home)/Library/LaunchAgents"
      name = "\(LaunchAgent.label).plist"
      text = LaunchAgent.text(words, log: "\(home)/Library/Logs/syncd.log")
      start = "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/\(LaunchAgent.label).plist"
      stop = "launchctl bootout gui/$(id -u)/\(LaunchAgent.label)"
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
  static func text(_ words: [String], log: String) -> String {
    let arguments = words.map { "    <string>\(escaped($0))</string>" }.joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>Label</key>
        <string>\(label)</string>
        <key>ProgramArguments</key>
        <array>
      \(arguments)
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

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
