/// A systemd unit that runs syncd (systemd.service(5), systemd.exec(5)).
enum SystemdUnit {
  /// A unit for the manager of one user.
  case user
  /// A unit for the system manager: a template whose instance is the user.
  case system

  /// The unit's text.
  ///
  /// - Parameter command: the program and its arguments.
  func text(_ command: [String]) -> String {
    (unit + service(command) + Self.limits + (self == .system ? Self.fileSystem : []) + install)
      .joined(separator: "\n") + "\n"
  }

  private var unit: [String] {
    [
      "[Unit]", "Description=syncd, syncs Org files\(self == .system ? " of %i" : "")", "Documentation=man:syncd(1)",
      "",
    ]
  }

  /// The section `[Service]`. Wrong usage or settings are not retried, because a restart does not correct them.
  private func service(_ command: [String]) -> [String] {
    ["[Service]", "Type=notify"] + (self == .system ? ["User=%i"] : []) + [
      "ExecStart=\(Self.text(of: command))",
      "ExecReload=kill -HUP $MAINPID", "Restart=on-failure", "RestartSec=5", "RestartPreventExitStatus=2 8",
      "WatchdogSec=120", "TimeoutStopSec=90", "KillMode=mixed", "Nice=10", "IOSchedulingClass=idle",
    ]
  }

  /// The limits that both kinds of manager can apply.
  private static let limits = [
    "UMask=0077", "NoNewPrivileges=yes", "MemoryDenyWriteExecute=yes", "MemoryMax=1G", "LimitCORE=0",
    "LockPersonality=yes", "RestrictRealtime=yes", "RestrictSUIDSGID=yes", "RestrictNamespaces=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service", "SystemCallErrorNumber=EPERM",
  ]

  /// The limits that a user's manager could only apply in a user namespace, where root's files belong to no one and ssh rejects
  /// its system-wide settings. Folders that may contain a store or a remote stay writable.
  private static let fileSystem = [
    "CapabilityBoundingSet=", "ProtectSystem=strict",
    "ReadWritePaths=-/home -/var/home -/media -/mnt -/run/media -/run/user -/srv", "PrivateTmp=yes",
    "PrivateDevices=yes", "PrivateMounts=yes", "ProtectClock=yes", "ProtectControlGroups=yes", "ProtectHostname=yes",
    "ProtectKernelLogs=yes", "ProtectKernelModules=yes", "ProtectKernelTunables=yes", "ProtectProc=invisible",
    "RemoveIPC=yes",
  ]

  private var install: [String] {
    ["", "[Install]", "WantedBy=\(self == .system ? "multi-user" : "default").target"]
  }

  /// Returns a command, or a part of one, as text for a unit.
  static func text(of command: [String]) -> String { command.map(quoted).joined(separator: " ") }

  /// Quotes a command argument for a unit (systemd.service(5)): `%` and `$` have special meanings.
  private static func quoted(_ argument: String) -> String {
    let escaped = argument.replacing("%", with: "%%").replacing("$", with: "$$")
    guard escaped.contains(where: { " \t\"'\\;".contains($0) }) else { return escaped }
    return "\"" + escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
