/// The links that pair devices.
package enum PairingLink {
  /// The link with a code. The code is in the fragment, which browsers send to no server, so that it is in no log.
  package static func text(_ address: String, _ code: String) -> String { "\(address)/pair#\(code)" }
}
