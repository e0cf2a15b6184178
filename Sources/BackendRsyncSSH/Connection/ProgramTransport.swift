internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// The user's own ssh, with everything that is set up for it: keys, agents, jump hosts, certificates, aliases.
struct ProgramTransport: Transport {
  /// The program with its first arguments.
  let command: [String]
  let place: Place
  let identity: String?
  let knownHosts: String?
  let variables: [String: String]
  /// How long nothing may move.
  let patience: Duration
  /// Why it is this way, as half a sentence; nil where nothing else was asked for.
  var reason: String?

  var words: String { "with the program `\(command.first ?? "ssh")`" + (reason.map { " because \($0)" } ?? "") }

  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> any RemoteProgram {
    ProgramStream(try Program(words(request), variables: variables, patience: patience + more, stop))
  }

  /// It must never ask, never believe a host that is not known, and change no byte on the way.
  private func words(_ request: SSHRequest) -> [String] {
    var words =
      command + [
        "-T", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oClearAllForwardings=yes",
        "-oConnectTimeout=\(max(1, min(30, patience.components.seconds)))", "-oServerAliveInterval=30",
      ]
    if let identity { words += ["-oIdentitiesOnly=yes", "-i", identity] }
    if let knownHosts { words += ["-oUserKnownHostsFile=\(knownHosts)", "-oGlobalKnownHostsFile=/dev/null"] }
    if let port = place.port { words += ["-p", "\(port)"] }
    let destination = place.user.map { "\($0)@\(place.host)" } ?? place.host
    return switch request {
    case .command(let line): words + ["--", destination, line]
    case .subsystem(let name): words + ["-s", "--", destination, name]
    }
  }
}

/// The conversation with a program that carries it to the remote host.
private final class ProgramStream: RemoteProgram {
  private let program: Program
  private static let piece = 1 << 16

  init(_ program: Program) { self.program = program }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    do throws(SyncError) {
      // A program that has ended is heard out: what it said tells why.
      _ = try program.write(bytes)
    } catch {
      throw .stream(error)
    }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try program.read(atMost: Self.piece) ?? [] } catch { throw .stream(error) }
  }

  func end(isComplete: Bool) -> Ending {
    program.end(isComplete: isComplete)
    return Ending(status: program.exitStatus, complaints: program.complaints)
  }
}
