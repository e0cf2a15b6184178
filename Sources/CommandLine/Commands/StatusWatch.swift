import Dispatch
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd status --watch`: prints every pass of the service until the service ends.
struct StatusWatch {
  /// True to print the service's own lines unchanged.
  let json: Bool

  /// Prints the events of the service that uses these folders, one for each store, until it ends; throws if there is none.
  func follow(_ states: [StateFolder]) throws(SyncError) {
    let sockets = try states.map { state throws(SyncError) in try socket(of: state) }
    // Reading from a socket blocks its thread.
    let group = DispatchGroup()
    for socket in sockets { DispatchQueue(label: "watch").async(group: group) { follow(socket) } }
    group.wait()
  }

  private func socket(of state: StateFolder) throws(SyncError) -> ControlSocket {
    let request: JSON = ["do": .string(ControlRequest.Command.watch.rawValue)]
    guard let socket = ControlSocket.connected(to: state), socket.write(line: request.line), socket.readLine() != nil
    else {
      throw SyncError(
        .notFound, "cannot watch: no service uses \(state.path); run `syncd` to start one")
    }
    return socket
  }

  private func follow(_ socket: ControlSocket) {
    while let line = socket.readLine() {
      for line in json ? [line] : text(of: line) { Console.print(line) }
    }
  }

  /// Returns a line as text for people: actions and errors.
  private func text(of line: String) -> [String] {
    guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) else { return [] }
    let time = LocalTime(Runtime.real.now())
    guard event.event == "ended" else { return event.event == "began" ? [] : ["\(time) \(event.event)"] }
    return (event.remotes ?? []).flatMap { remote in
      let actions = remote.actions.map { "  \($0.path): \($0.action)\($0.detail.isEmpty ? "" : ", \($0.detail)")" }
      return ["\(time) \(remote.name): \(remote.result)\(remote.error.map { ", \($0)" } ?? "")"] + actions
    }
  }

  private struct Event: Decodable {
    var event: String
    var remotes: [Remote]?

    private enum CodingKeys: CodingKey { case event, remotes }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      event = try values.decode(String.self, forKey: .event)
      // The event of a starting pass only has names.
      remotes = try? values.decode([Remote].self, forKey: .remotes)
    }
  }

  private struct Remote: Decodable {
    var name: String
    var result: String
    var error: String?
    var actions: [Action]
  }

  private struct Action: Decodable {
    var path: String
    var action: String
    var detail: String
  }
}
