import Foundation
import ProgramTesting
import Synchronization

/// A real sftp server on a loopback port with a folder. It is stopped with its owner, and with the tests.
public final class SFTPHost: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case openssh, gesftpserver, dropbear, proftpd, rclone
    case chroot = "openssh-chroot"
    case noLinks = "openssh-no-links"
    case readOnly = "openssh-read-only"
    case small = "openssh-small"
  }

  public let kind: Kind
  /// The served folder, and its name on the server.
  public let root: String
  public let remoteRoot: String
  public let port: Int
  public let user: String
  private let run: String

  private static let script =
    URL(filePath: #filePath).appending(path: "../../../Scripts/sftp-server.sh").standardizedFileURL.path

  public init(_ kind: Kind) async throws {
    self.kind = kind
    let folder = NSTemporaryDirectory() + "sftp-\(UUID().uuidString.prefix(8))"
    (root, run) = (folder + "/root", folder + "/run")
    let outcome = try await Command([
      Self.script, "start", kind.rawValue, "--root", root, "--run", run, "--owner",
      "\(ProcessInfo.processInfo.processIdentifier)",
    ]).finish()
    guard outcome.status == 0,
      let url = URL(string: outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)), let port = url.port
    else { throw TestFailure(outcome.story) }
    (self.port, user) = (port, url.user() ?? "")
    remoteRoot = url.path() == "/" ? "" : url.path()
  }

  deinit {
    // The script stops the server anyway when the tests end.
    let (folder, stop) = ((root as NSString).deletingLastPathComponent, Command([Self.script, "stop", "--run", run]))
    Thread.detachNewThread {
      _ = try? stop.run()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  public var identity: String { run + "/identity" }
  public var knownHosts: String { run + "/known_hosts" }

  /// Stops the server.
  public func stop() async throws { _ = try await Command([Self.script, "stop", "--run", run]).finish() }

  /// Ends the processes of all connections abruptly; the server accepts new ones.
  public func hangUp() async throws { _ = try await Command([Self.script, "hang-up", "--run", run]).finish() }

  // MARK: Shared ones

  private static let shared = Mutex<[Kind: Task<Result<SFTPHost, Missing>, Never>]>([:])

  private struct Missing: Error { var reason: String }

  /// The server of a kind that most tests share, each with a folder of its own; nil, with a prominent message, if it is
  /// unavailable.
  public static func shared(_ kind: Kind) async -> SFTPHost? {
    let start = shared.withLock { servers in
      let start =
        servers[kind]
        ?? Task {
          do { return .success(try await SFTPHost(kind)) } catch { return .failure(Missing(reason: "\(error)")) }
        }
      servers[kind] = start
      return start
    }
    do { return try await start.value.get() } catch {
      print("*** SKIPPED: \(kind.rawValue) is unavailable: \(error.reason) ***")
      return nil
    }
  }

  /// A server for a test that runs beside others of the same kind: the shared one, but dropbear, which accepts only five logins at a time
  /// from one address, has one for each test.
  public static func spacious(_ kind: Kind) async throws -> SFTPHost? {
    let host = await shared(kind)
    return kind == .dropbear && host != nil ? try await SFTPHost(kind) : host
  }
}
