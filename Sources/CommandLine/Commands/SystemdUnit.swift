/// A unit of systemd that runs syncd (systemd.service(5), systemd.exec(5)).
enum SystemdUnit {
  /// For the manager of one user.
  case user
  /// For the manager of the system: a template with the user as its instance.
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

  /// An error that a restart does not correct, wrong usage or wrong settings, is not retried.
  private func service(_ command: [String]) -> [String] {
    ["[Service]", "Type=notify"] + (self == .system ? ["User=%i"] : []) + [
      "ExecStart=\(command.map(Self.quoted).joined(separator: " "))",
      "ExecReload=kill -HUP $MAINPID", "Restart=on-failure", "RestartSec=5", "RestartPreventExitStatus=2 8",
      "WatchdogSec=120", "TimeoutStopSec=90", "KillMode=mixed", "Nice=10", "IOSchedulingClass=idle",
    ]
  }

  /// What a manager of either kind can apply.
  private static let limits = [
    "UMask=0077", "NoNewPrivileges=yes", "MemoryDenyWriteExecute=yes", "MemoryMax=1G", "LimitCORE=0",
    "LockPersonality=yes", "RestrictRealtime=yes", "RestrictSUIDSGID=yes", "RestrictNamespaces=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service", "SystemCallErrorNumber=EPERM",
  ]

  /// What the manager of a user could apply only in a user namespace, where files of root belong to no one and ssh rejects its
  /// system-wide settings. Folders that a store or a remote may be in stay writable.
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

  /// An argument of a command in a unit (systemd.service(5)): `%` and `$` would mean something else.
  private static func quoted(_ argument: String) -> String {
    let escaped = argument.replacing("%", with: "%%").replacing("$", with: "$$")
    guard escaped.contains(where: { " \t\"'\\;".contains($0) }) else { return escaped }
    return "\"" + escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
