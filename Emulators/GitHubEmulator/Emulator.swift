package import EmulatorWire
import Foundation
internal import Programs
internal import SettingsRegistry

/// A GitHub or Forgejo with a few repositories, which answers like the documented API, and fails on demand. Each repository is a bare one
/// in a folder, so that `git` can clone it, push to it and check it.
public actor Emulator {
  // Running `git` blocks a thread.
  private nonisolated let worker = Worker("github-emulator")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

  /// The folder of all repositories, such as `owner/notes.git`.
  public nonisolated let folder: String
  /// The server that is emulated.
  public nonisolated let kind: Kind
  private let token: String
  private let expires: Bool
  var repositories: [String: Repository] = [:]
  /// The present names of repositories that were renamed.
  var renamed: [String: String] = [:]
  var access: DeviceSignIn
  private var faults = FaultList<Fault>()
  /// The maximum number of entries of a recursive listing, or of a page of Forgejo's.
  var longestListing: Int?
  var lag = 0
  private var remaining = 5_000
  var counts: [String: Int] = [:]
  /// What other writers do just before the next call of a route.
  var interruptions: [String: @Sendable (isolated Emulator) throws -> Void] = [:]

  /// - Parameters:
  ///   - folder: The folder for the repositories; created if it does not exist.
  ///   - expires: True if the tokens of the device flow expire.
  ///   - kind: The server that is emulated.
  public init(in folder: String, token: String = "test-token", expires: Bool = true, kind: Kind = .github) {
    self.folder = folder
    self.kind = kind
    self.token = token
    self.expires = expires
    access = DeviceSignIn(token: token, expires: expires)
  }

  /// Creates the repositories `owner/notes`, which has a file, and `owner/empty`.
  public func prepare() throws {
    try create("owner/notes", files: ["README.org": "* notes\n"])
    let notes = try repository("owner/notes")
    if let tip = notes.tip("refs/heads/main") { _ = notes.move("refs/heads/protected", from: nil, to: tip) }
    try create("owner/empty", files: [:])
  }

  /// Answers one request.
  package func answer(_ call: Call) -> Reply {
    do {
      switch (call.method, call.path) {
      case ("POST", "/emulator/control"): return try obey(call)
      case ("POST", "/login/device/code"): return access.begin(at: "http://\(call.headers["host"] ?? "")")
      case ("POST", "/login/oauth/access_token"): return access.grant(call.form)
      default:
        guard let request = Request(call, kind) else { throw APIError(404, "Not Found") }
        return counted(try answer(request))
      }
    } catch let error as APIError { return counted(error.reply) } catch let error as BadInput {
      return counted(APIError(400, error.message).reply)
    } catch {
      return Reply(status: 500, text: "\(error)")
    }
  }

  /// Adds the headers about the quota, which a 304 does not use up.
  private func counted(_ reply: Reply) -> Reply {
    // Forgejo has no quota.
    guard kind == .github else { return reply }
    var reply = reply
    if reply.status != 304 { remaining -= 1 }
    let limits = [
      ("Limit", 5_000), ("Remaining", remaining), ("Used", 5_000 - remaining),
      ("Reset", Int(Date().timeIntervalSince1970) + 3_600),
    ]
    for (name, value) in limits where !reply.headers.contains(where: { $0.name == "X-RateLimit-\(name)" }) {
      reply.headers.append(("X-RateLimit-\(name)", "\(value)"))
    }
    reply.headers.append(("X-GitHub-Request-Id", UUID().uuidString))
    return reply
  }

  private func answer(_ request: Request) throws -> Reply {
    counts[request.route, default: 0] += 1
    let fault = faults.take(for: request.route)
    if let refusal = fault?.refusal { return refusal }
    guard request.call.headers["user-agent"]?.isEmpty == false else {
      return APIError(403, "Request forbidden by administrative rules.").reply
    }
    guard access.tokens.contains(request.token) else { return APIError(401, kind.badToken).reply }
    try interruptions.removeValue(forKey: request.route)?(self)
    var reply: Reply
    do { reply = try carryOut(request) } catch let error as APIError { reply = error.reply }
    if fault?.drop == .after { return .cut }
    if fault?.spoil == true, !reply.body.isEmpty { spoil(&reply) }
    return reply
  }

  /// Changes one bit of the content of a blob, in either form of the answer.
  private func spoil(_ reply: inout Reply) {
    let mark = Array(#""content":""#.utf8)
    let index = reply.body.firstRange(of: mark)?.upperBound ?? 0
    // In base64, the letters `A` to `x` stay valid.
    reply.body[index] ^= reply.body[index] == UInt8(ascii: "/") ? 0x1F : 1
  }

  func repository(_ name: String) throws -> Repository {
    guard let repository = repositories[name] else { throw APIError(404, "Not Found") }
    return repository
  }

  /// Creates a repository; without files it has no branch.
  func create(_ name: String, files: [String: String]) throws {
    let repository = try Repository(name, in: "\(folder)/\(name).git")
    repositories[name] = repository
    if !files.isEmpty { _ = try push(files, to: repository, branch: "main", parent: nil, message: "first") }
  }

  /// Commits as another writer; returns the commit.
  func push(
    _ files: [String: String?], to repository: Repository, branch: String, parent: String?, message: String = "others"
  ) throws -> String {
    let reference = "refs/heads/\(branch)"
    let old = repository.tip(reference)
    let base = parent ?? old
    let changes = try files.sorted { $0.key < $1.key }.map { path, text in
      (
        path: path,
        entry: try text.map { Repository.Entry(mode: "100644", id: try repository.put("blob", Array($0.utf8))) }
      )
    }
    let tree = try repository.edited(try base.map { try repository.commit($0).tree }, changes)
    let commit = try repository.putCommit(tree, base.map { [$0] } ?? [], message)
    guard repository.move(reference, from: old, to: commit) else { throw EmulatorError("\(reference) moved meanwhile") }
    return commit
  }

  // MARK: Orders

  private func obey(_ call: Call) throws -> Reply {
    let order = try Call.decode(call.body, as: Order.self, from: "request body")
    var answer: JSON = [:]
    switch order.op {
    case .reset: try reset()
    case .fail: faults.add(try Call.decode(call.body, from: "request body"))
    case .calm: faults = FaultList()
    case .truncate: longestListing = order.entries
    case .push:
      let repository = try repository(order.repository ?? "owner/notes")
      let commit = try push(
        order.files ?? [:], to: repository, branch: order.branch ?? repository.defaultBranch, parent: order.parent)
      answer = ["sha": .string(commit)]
    case .lag: lag = order.count ?? 0
    case .device: access.state = order.state ?? .pending
    case .revoke: access.tokens = []
    case .repository: try create(order.name ?? "", files: (order.files ?? [:]).compactMapValues(\.self))
    case .renameBranch:
      let repository = try repository(order.repository ?? "owner/notes")
      let name = order.name ?? "main"
      _ = try repository.git(["branch", "-m", repository.defaultBranch, name])
      repository.defaultBranch = name
    case .rename:
      let (old, new) = (order.repository ?? "", order.name ?? "")
      repositories[new] = repositories.removeValue(forKey: old)
      repositories[new]?.name = new
      renamed[old] = new
    case .recount: counts = [:]
    }
    return Reply(json: answer)
  }

  private func reset() throws {
    for name in repositories.keys { try FileManager.default.removeItem(atPath: "\(folder)/\(name).git") }
    (repositories, renamed, faults, longestListing, lag, counts) = ([:], [:], FaultList(), nil, 0, [:])
    access = DeviceSignIn(token: token, expires: expires)
    try prepare()
  }
}

extension Emulator: EmulatedService {}

/// Serves an emulator on a local port.
package typealias EmulatorServer = ServedEmulator<Emulator>
