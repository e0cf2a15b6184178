import ArgumentParser
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd service`: has the system's service manager run syncd.
struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Let the service manager of this machine run syncd for you.",
    subcommands: [Print.self, Install.self, Uninstall.self])

  struct Print: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the service file.")
    @OptionGroup var common: CommonOptions

    func run() throws { Console.print(try ServiceFile(common).text, terminator: "") }
  }

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Put the service file in its place.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      _ = try common.configuration()
      let file = try ServiceFile(common)
      try LocalFile.makeFolder(file.folder)
      try LocalFile.write(Array(file.text.utf8), to: file.path)
      Console.print("wrote \(file.path); start it with: \(ServiceFile.start)")
    }
  }

  struct Uninstall: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove the service file.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      let file = try ServiceFile(common)
      guard LocalFile.exists(file.path) else {
        throw SyncError(.notFound, "there is no service file at \(file.path)")
      }
      try LocalFile.remove(file.path)
      Console.print("removed \(file.path); if the service runs, stop it with: \(ServiceFile.stop)")
    }
  }
}

/// The file by which systemd or launchd knows the service of this user.
struct ServiceFile {
  let folder: String
  let name: String
  let text: String

  var path: String { "\(folder)/\(name)" }

  /// For the program that is running, and the settings file that was named, if one was.
  init(_ common: CommonOptions) throws {
    let variables = ProcessInfo.processInfo.environment
    let words = [try Self.program()] + (common.settings.map { ["--settings", Self.absolute($0)] } ?? [])
    #if canImport(Darwin)
      folder = (variables["HOME"] ?? "") + "/Library/LaunchAgents"
      name = "org.syncd.agent.plist"
      text = Self.launchd(words)
    #else
      let base = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      folder = (base ?? (variables["HOME"] ?? "") + "/.config") + "/systemd/user"
      name = "syncd.service"
      text = Self.systemd(words)
    #endif
  }

  #if canImport(Darwin)
    static let start = "launchctl load -w ~/Library/LaunchAgents/org.syncd.agent.plist"
    static let stop = "launchctl remove org.syncd.agent"
  #else
    static let start = "systemctl --user daemon-reload && systemctl --user enable --now syncd"
    static let stop = "systemctl --user disable --now syncd"
  #endif

  /// The full path of the program that is running.
  static func program() throws(SyncError) -> String {
    let called = CommandLine.arguments.first ?? "syncd"
    if called.contains("/") { return absolute(called) }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let found = folders.map({ "\($0)/\(called)" }).first(where: LocalFile.exists) else {
      throw SyncError(.notFound, "it cannot be told where \(called) is; call it by its full path")
    }
    return found
  }

  static func absolute(_ path: String) -> String {
    let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return FolderNames.resolved(path)
  }

  /// What may be restarted and what may not: wrong usage and wrong settings stay wrong.
  static func systemd(_ words: [String]) -> String {
    """
    [Unit]
    Description=syncd, keeps Org files in agreement
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
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    RestrictNamespaces=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    SystemCallArchitectures=native

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

  static func launchd(_ words: [String]) -> String {
    let arguments = words.map { "    <string>\(escaped($0))</string>" }.joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>Label</key>
        <string>org.syncd.agent</string>
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
        <key>ProcessType</key>
        <string>Background</string>
        <key>LowPriorityIO</key>
        <true/>
      </dict>
      </plist>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
