internal import CGit2
internal import CPOSIX
internal import GitObjects
internal import Programs
internal import SyncKit

/// One connection to the remote repository, from listing its branches to fetching or pushing.
@safe final class Connection {
  private let repository: Repository
  private let conversation: Conversation
  private let address: String
  private let remote: OpaquePointer

  /// The branches of the remote repository.
  struct Branches: Sendable {
    var tips: [String: ObjectID] = [:]
    /// The branch that a clone checks out, if the server reports it.
    var head: String?
    /// True if HEAD names no commit, so that a clone checks out nothing.
    var lacksHead: Bool { !tips.isEmpty && !hasHead }
    fileprivate var hasHead = false
  }

  /// The result of a push.
  enum Outcome: Sendable {
    /// The server reports that the branch was updated.
    case done
    /// The branch has changed: another writer was faster.
    case overtaken
    /// The server rejected the push, for this reason.
    case declined(String)
    /// The push was sent, but no answer arrived.
    case lost(SyncError)
  }

  init(
    to address: String, by transport: any Transport, into repository: Repository, largestFetch: Int = .max, _ stop: Stop
  ) throws(SyncError) {
    self.repository = repository
    self.address = address
    conversation = Conversation(transport, largestFetch: largestFetch, stop)
    unsafe remote = try Self.remote(address, of: repository)
  }

  /// A remote without a name. It does not look for a replacement of its address in the configuration: ours has none, and libgit2
  /// before 1.6 leaks 20 KiB for each setting that it compares (libgit2 pull request 6382).
  private static func remote(_ address: String, of repository: Repository) throws(SyncError) -> OpaquePointer {
    var options = unsafe git_remote_create_options()
    unsafe git_remote_create_options_init(&options, UInt32(GIT_REMOTE_CREATE_OPTIONS_VERSION))
    unsafe options.repository = unsafe repository.handle
    unsafe options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF.rawValue
    var remote: OpaquePointer?
    try repository.check(unsafe git_remote_create_with_opts(&remote, address, &options))
    guard let remote = unsafe remote else {
      throw SyncError(.unexpected, "\(address) is not a valid repository address")
    }
    return unsafe remote
  }

  deinit { unsafe git_remote_free(remote) }

  /// Lists the remote branches.
  func branches() throws(SyncError) -> Branches {
    var callbacks = unsafe conversation.callbacks
    try check(unsafe git_remote_connect(remote, GIT_DIRECTION_FETCH, &callbacks, nil, nil))
    var heads: UnsafeMutablePointer<UnsafePointer<git_remote_head>?>?
    var count = 0
    try check(unsafe git_remote_ls(&heads, &count, remote))
    var branches = Branches()
    for index in 0..<count {
      guard let head = unsafe heads?[index], let text = unsafe head.pointee.name else { continue }
      let name = unsafe String(cString: text)
      if name == "HEAD" {
        branches.hasHead = true
        if let target = unsafe head.pointee.symref_target {
          branches.head = unsafe Self.branch(String(cString: target))
        }
      }
      if let branch = Self.branch(name) { branches.tips[branch] = unsafe ObjectID(head.pointee.oid) }
    }
    return branches
  }

  private static func branch(_ reference: String) -> String? {
    reference.hasPrefix(prefix) ? String(reference.dropFirst(prefix.count)) : nil
  }

  private static let prefix = "refs/heads/"

  /// Fetches the missing commits of a branch. Call it after `branches`, on the same connection.
  func fetch(_ branch: String) throws(SyncError) {
    try GitFailpoint.fetchStarting.reach()
    var options = unsafe git_fetch_options()
    unsafe git_fetch_options_init(&options, UInt32(GIT_FETCH_OPTIONS_VERSION))
    unsafe options.callbacks = unsafe conversation.callbacks
    unsafe options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE
    unsafe options.update_fetchhead = 0
    let code = unsafe withStrings(["+\(Self.prefix)\(branch):\(Repository.fetched)"]) { names in
      unsafe git_remote_download(remote, names, &options)
    }
    try check(code)
    try GitFailpoint.fetchFinished.reach()
  }

  /// Pushes the commit of our push reference to the branch, if the branch is at `expected` now.
  func push(to branch: String, expecting expected: ObjectID?) throws(SyncError) -> Outcome {
    try GitFailpoint.pushStarting.reach()
    conversation.expected = .some(expected)
    var options = unsafe git_push_options()
    unsafe git_push_options_init(&options, UInt32(GIT_PUSH_OPTIONS_VERSION))
    unsafe options.callbacks = unsafe conversation.callbacks
    let code = unsafe withStrings(["\(Repository.outgoing):\(Self.prefix)\(branch)"]) { names in
      unsafe git_remote_push(remote, names, &options)
    }
    let complaint = code < 0 ? Library.complaint : ""
    try GitFailpoint.pushFinished.reach()
    return try outcome(code, complaint)
  }

  /// Closes the connection.
  func close() { unsafe git_remote_disconnect(remote) }

  private func outcome(_ code: CInt, _ complaint: String) throws(SyncError) -> Outcome {
    if conversation.isOvertaken || code == GIT_ENONFASTFORWARD.rawValue { return .overtaken }
    if let serverError = conversation.serverError {
      guard !serverError.isEmpty else { return .done }
      let remark = conversation.remark
      return .declined(remark.isEmpty ? serverError : "\(serverError): \(remark)")
    }
    guard code < 0 || !conversation.hasSentChanges else {
      return .lost(SyncError(.unavailable, "\(address) did not confirm the push"))
    }
    if !conversation.hasSentChanges { try check(code, complaint) }
    if code >= 0 { return .done }
    return .lost(failure(complaint))
  }

  private func check(_ code: CInt) throws(SyncError) { try check(code, Library.complaint) }

  private func check(_ code: CInt, _ complaint: String) throws(SyncError) {
    if conversation.stop.isAsked { try conversation.stop.check() }
    if code < 0 { throw failure(complaint) }
  }

  private func failure(_ complaint: String) -> SyncError {
    conversation.failure ?? SyncError(.unavailable, "the answer of \(address) is unusable: \(complaint)")
  }
}

/// Calls `body` with the texts as a `git_strarray`.
private func withStrings<Value>(_ texts: [String], _ body: (UnsafePointer<git_strarray>) -> Value) -> Value {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    var list = unsafe git_strarray(strings: buffer.baseAddress, count: texts.count)
    return unsafe body(&list)
  }
}
