import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file by which systemd or launchd knows the service of this user.
struct ServiceFile {
  enum Manager: String, CaseIterable, ExpressibleByArgument {
    case systemd, launchd

    static var ofThisMachine: Manager {
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
  /// What starts the service now and whenever the user is there, and what ends that.
  let start: String
  let stop: String

  var path: String { "\(folder)/\(name)" }

  /// For the program that is running, and the settings file that was named, if one was.
  init(_ common: CommonOptions, for manager: Manager = .ofThisMachine) throws {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"] ?? ""
    let words = [try Self.program()] + (common.namedSettings.map { ["--settings", $0] } ?? [])
    switch manager {
    case .systemd:
      let base = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
      folder = "\(base)/systemd/user"
      name = "syncd.service"
      text = SystemdUnit.text(words)
      start = "systemctl --user daemon-reload && systemctl --user enable --now syncd"
      stop = "systemctl --user disable --now syncd"
    case .launchd:
      folder = "\(home)/Library/LaunchAgents"
      name = "\(LaunchAgent.label).plist"
      text = LaunchAgent.text(words, log: "\(home)/Library/Logs/syncd.log")
      start = "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/\(LaunchAgent.label).plist"
      stop = "launchctl bootout gui/$(id -u)/\(LaunchAgent.label)"
    }
  }

  /// The full path of the program that is running.
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

/// A unit of systemd for one user (systemd.service(5), systemd.exec(5)).
private enum SystemdUnit {
  /// What may be restarted and what may not: wrong usage and wrong settings stay wrong.
  static func text(_ words: [String]) -> String {
    """
    [Unit]
    Description=syncd, syncs Org files
    Documentation=man:syncd(1)

    [Service]
    Type=notify
    ExecStart=\(words.map(quoted).joined(separator: " "))
    ExecReload=kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=5
    RestartPreventExitStatus=2 8
    WatchdogSec=120
    TimeoutStopSec=90
    KillMode=mixed
    Nice=10
    IOSchedulingClass=idle
    UMask=0077
    NoNewPrivileges=yes
    MemoryDenyWriteExecute=yes
    MemoryMax=1G
    LimitCORE=0
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    RestrictNamespaces=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallErrorNumber=EPERM

    [Install]
    WantedBy=default.target

    """
  }

  /// A word of a command in a unit (systemd.service(5)): `%` and `$` would mean something else.
  private static func quoted(_ word: String) -> String {
    let escaped = word.replacing("%", with: "%%").replacing("$", with: "$$")
    guard escaped.contains(where: { " \t\"'\\;".contains($0) }) else { return escaped }
    return "\"" + escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// An agent of launchd for one user (launchd.plist(5)).
private enum LaunchAgent {
  static let label = "org.syncd.agent"

  /// As the unit of systemd has it, where launchd has the same: a mask is a decimal number there, and what ended well is not
  /// started again.
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
