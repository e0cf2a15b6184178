/// What makes the connection to a host, decided before the first one is made.
enum SSHRoute: Hashable, Sendable {
  /// libssh2; with `fallsBack` the user's own ssh takes over if the host accepts no key that libssh2 can offer.
  case library(fallsBack: Bool)
  /// The user's own ssh; `reason` says why it is not libssh2, as half a sentence, unless the settings ask for ssh.
  case program(reason: String?)

  /// - Parameter obstacle: why libssh2 cannot reach the host, as half a sentence; nil if it can.
  init(_ settings: SSHSettings, obstacle: @autoclosure () -> String?) {
    self =
      switch settings.transport {
      case .libssh2: .library(fallsBack: false)
      case .sshCommand: .program(reason: nil)
      // A program that the settings name is wanted.
      case .auto where settings.sshCommand != SSHSettings().sshCommand: .program(reason: "the settings choose it")
      case .auto: obstacle().map { .program(reason: $0) } ?? .library(fallsBack: true)
      }
  }
}
