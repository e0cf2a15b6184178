/// The implementation that connects to a host, chosen before the first connection.
enum SSHRoute: Hashable, Sendable {
  /// libssh2; with `fallsBack`, the user's own ssh replaces it if the host accepts no key that libssh2 offers.
  case library(fallsBack: Bool)
  /// The user's own ssh; `reason` is a clause that explains why it is not libssh2, unless the settings ask for ssh.
  case program(reason: String?)

  /// - Parameter obstacle: the reason why libssh2 cannot reach the host, as a clause; nil if it can.
  init(_ settings: SSHSettings, obstacle: @autoclosure () -> String?) {
    self =
      switch settings.transport {
      case .libssh2: .library(fallsBack: false)
      case .sshCommand: .program(reason: nil)
      // The user sets another program on purpose.
      case .auto where settings.sshCommand != SSHSettings().sshCommand: .program(reason: "the settings choose it")
      case .auto: obstacle().map { .program(reason: $0) } ?? .library(fallsBack: true)
      }
  }
}
