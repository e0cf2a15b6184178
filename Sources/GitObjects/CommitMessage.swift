package import SyncKit

/// The message of a commit: what happened to which files, and on which device.
package struct CommitMessage {
  package enum Kind: Int, CaseIterable {
    case add, change, remove

    package var verb: String { ["Add", "Change", "Remove"][rawValue] }
    package var letter: String { ["A", "M", "D"][rawValue] }
  }

  package var files: [(kind: Kind, path: SyncPath)]
  package var device: String
  /// The author of the sign-off; nil for none.
  package var signOff: Identity?

  package init(files: [(kind: Kind, path: SyncPath)], device: String, signOff: Identity? = nil) {
    self.files = files
    self.device = device
    self.signOff = signOff
  }

  private static let longestList = 200
  private static let deviceTrailer = "Device: "

  /// Returns the device that a message names; nil if it names none.
  package static func device(in message: String) -> String? {
    let trailer = message.split(whereSeparator: \.isNewline).last { $0.hasPrefix(deviceTrailer) }
    return trailer.flatMap { Device.name(from: String($0.dropFirst(deviceTrailer.count))) }
  }

  package var text: String {
    let trailers = [Self.deviceTrailer + device] + [signOff.map { "Signed-off-by: \($0)" }].compactMap(\.self)
    let list = files.count > 1 ? [list] : []
    return ([subject] + list + [trailers.joined(separator: "\n")]).joined(separator: "\n\n") + "\n"
  }

  private var subject: String {
    if files.count == 1 { return "\(files[0].kind.verb) \(files[0].path)" }
    let parts = Kind.allCases.compactMap { kind in
      let count = files.count { $0.kind == kind }
      return count == 0 ? nil : (kind, count)
    }
    let phrases = parts.enumerated().map { index, part in
      let verb = index == 0 ? part.0.verb : part.0.verb.lowercased()
      return "\(verb) \(part.1) \(part.1 == 1 ? "file" : "files")"
    }
    return phrases.joined(separator: ", ")
  }

  private var list: String {
    let lines = files.prefix(Self.longestList).map { "\($0.kind.letter) \($0.path)" }
    let rest = files.count - lines.count
    return (lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
  }
}
