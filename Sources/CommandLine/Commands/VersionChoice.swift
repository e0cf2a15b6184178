import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// A pass on the command line: its number, or a time, which selects the last pass that began by then.
enum PassChoice: ExpressibleByArgument {
  case number(Int)
  case time(PointInTime)

  init?(argument: String) {
    if let number = Int(argument), number >= 0 {
      self = .number(number)
    } else if let time = PointInTime(argument: argument) {
      self = .time(time)
    } else {
      return nil
    }
  }
}

/// A version of a file on the command line: the one after a pass, or one by its digest or a prefix of it.
enum VersionChoice: ExpressibleByArgument {
  case afterPass(PassChoice)
  case digest(String)

  /// The maximum digits of a pass number; more digits are a digest.
  private static let longestNumber = 7

  init?(argument: String) {
    if let pass = PassChoice(argument: argument), Int(argument) == nil || argument.count <= Self.longestNumber {
      self = .afterPass(pass)
    } else if argument.count >= 4, argument.allSatisfy(\.isHexDigit) {
      self = .digest(argument)
    } else {
      return nil
    }
  }
}

extension FormerVersions {
  /// Returns the number of the pass; nil if none was given.
  func number(of pass: PassChoice?) async throws(SyncError) -> Int? {
    switch pass {
    case .none: return nil
    case .number(let number): return number
    case .time(let point):
      if let number = try await workspace.history.lastPass(at: point.time) { return number }
      throw SyncError(.notFound, "the history does not reach back to \(LocalTime(point.time))")
    }
  }

  /// Returns the digest of the selected version of `path`; nil if the file did not exist then.
  func digest(_ version: VersionChoice, of path: SyncPath) async throws(SyncError) -> Digest? {
    switch version {
    case .digest(let wanted): return try await digest(wanted, of: path)
    case .afterPass(let pass): return try await digest(following: path, afterPass: number(of: pass) ?? 0)
    }
  }
}
