internal import CGit2
internal import GitObjects
internal import SyncKit

/// A bare repository in syncd's state, through libgit2. One thread uses it at a time.
@safe final class Repository {
  let path: String
  let handle: OpaquePointer

  /// The remote branch as last fetched, or as last pushed by us.
  static let fetched = "refs/syncd/fetched"
  /// The commit that is being pushed.
  static let outgoing = "refs/syncd/outgoing"

  private let objects: OpaquePointer

  /// Opens the repository at `path`, or creates it.
  init(at path: String) throws(SyncError) {
    guard Library.isReady else { throw SyncError(.unexpected, "cannot initialize libgit2: \(Library.complaint)") }
    var handle: OpaquePointer?
    if unsafe git_repository_open_bare(&handle, path) != 0 {
      guard unsafe git_repository_init(&handle, path, 1) == 0 else { throw Self.broken(path) }
    }
    var objects: OpaquePointer?
    guard let handle = unsafe handle, unsafe git_repository_odb(&objects, handle) == 0, let objects = unsafe objects
    else { throw Self.broken(path) }
    self.path = path
    unsafe self.handle = unsafe handle
    unsafe self.objects = unsafe objects
  }

  deinit {
    unsafe git_odb_free(objects)
    unsafe git_repository_free(handle)
  }

  private static func broken(_ path: String) -> SyncError {
    SyncError(
      .unexpected,
      "cannot open the copy of the repository in \(path): \(Library.complaint); remove it, and syncd fetches it again"
    )
  }

  /// Throws if a call failed.
  func check(_ code: CInt) throws(SyncError) {
    guard code >= 0 else { throw Self.broken(path) }
  }

  // MARK: Objects

  /// Also reads the objects of another repository.
  func borrowObjects(of folder: String) throws(SyncError) {
    try check(unsafe git_odb_add_disk_alternate(objects, folder))
  }

  func holds(_ id: ObjectID) -> Bool {
    var oid = id.oid
    return unsafe git_odb_exists(objects, &oid) == 1
  }

  /// Returns the bytes of an object; throws if it has more than `limit`.
  func read(_ id: ObjectID, _ kind: git_object_t, atMost limit: Int) throws(SyncError) -> [UInt8] {
    let size = try size(of: id, kind)
    guard size <= limit else {
      throw SyncError(
        .pathFailed, "an object of the repository has \(size.counted("byte")), more than the limit of \(limit)")
    }
    return try open(id).bytes
  }

  /// Returns the number of bytes of an object without reading it; throws if it is not of this kind.
  func size(of id: ObjectID, _ kind: git_object_t) throws(SyncError) -> Int {
    var oid = id.oid
    var (size, found) = (0, GIT_OBJECT_INVALID)
    try check(unsafe git_odb_read_header(&size, &found, objects, &oid))
    guard found == kind else {
      throw SyncError(.pathFailed, "the object \(id) of the repository has the wrong type; run `git fsck`")
    }
    return size
  }

  /// Reads an object into memory.
  func open(_ id: ObjectID) throws(SyncError) -> StoredObject {
    var oid = id.oid
    var object: OpaquePointer?
    try check(unsafe git_odb_read(&object, objects, &oid))
    guard let object = unsafe object else { throw Self.broken(path) }
    return unsafe StoredObject(object)
  }

  func write(_ bytes: [UInt8], _ kind: git_object_t) throws(SyncError) -> ObjectID {
    var oid = git_oid()
    try check(unsafe git_odb_write(&oid, objects, bytes, bytes.count, kind))
    return ObjectID(oid)
  }

  /// Begins to write a file of `size` bytes in pieces.
  func blobWriter(size: Int) throws(SyncError) -> BlobWriter {
    var stream: UnsafeMutablePointer<git_odb_stream>?
    try check(unsafe git_odb_open_wstream(&stream, objects, git_object_size_t(size), GIT_OBJECT_BLOB))
    guard let stream = unsafe stream else { throw Self.broken(path) }
    return unsafe BlobWriter(stream, of: self)
  }

  // MARK: References and history

  /// Returns the commit of a reference; nil if there is none.
  func target(of reference: String) -> ObjectID? {
    var oid = git_oid()
    guard unsafe git_reference_name_to_id(&oid, handle, reference) == 0 else { return nil }
    return ObjectID(oid)
  }

  func point(_ reference: String, to id: ObjectID) throws(SyncError) {
    var oid = id.oid
    var made: OpaquePointer?
    try check(unsafe git_reference_create(&made, handle, reference, &oid, 1, nil))
    unsafe git_reference_free(made)
  }

  /// Returns true if `old` is `new` or part of its history.
  func isPast(_ old: ObjectID, of new: ObjectID) throws(SyncError) -> Bool {
    if old == new { return true }
    guard holds(old) else { return false }
    var (ancestor, descendant) = (old.oid, new.oid)
    let answer = unsafe git_graph_descendant_of(handle, &descendant, &ancestor)
    try check(answer)
    return answer == 1
  }

  /// Returns the only commit whose id begins with these hexadecimal digits; nil if there is none, or more than one.
  func commit(startingWith digits: String) throws(SyncError) -> ObjectID? {
    var short = git_oid()
    guard (7...40).contains(digits.utf8.count), unsafe git_oid_fromstrn(&short, digits, digits.utf8.count) == 0 else {
      return nil
    }
    var commit: OpaquePointer?
    guard unsafe git_commit_lookup_prefix(&commit, handle, &short, digits.utf8.count) == 0 else { return nil }
    defer { unsafe git_commit_free(commit) }
    return unsafe git_commit_id(commit).map { unsafe ObjectID($0.pointee) }
  }

  /// A commit: its tree, its parents, and its author and time.
  struct Commit {
    var tree: ObjectID
    var parents: [ObjectID]
    var author: String
    var time: Timestamp
  }

  /// Returns the message of a commit and its parents.
  func message(of id: ObjectID) throws(SyncError) -> (text: String, parents: [ObjectID]) {
    var oid = id.oid
    var commit: OpaquePointer?
    try check(unsafe git_commit_lookup(&commit, handle, &oid))
    defer { unsafe git_commit_free(commit) }
    let parents = unsafe (0..<git_commit_parentcount(commit)).compactMap { unsafe git_commit_parent_id(commit, $0) }
    let text = unsafe git_commit_message(commit).map { unsafe String(cString: $0) } ?? ""
    return unsafe (text, parents.map { unsafe ObjectID($0.pointee) })
  }

  func commit(_ id: ObjectID) throws(SyncError) -> Commit {
    var oid = id.oid
    var commit: OpaquePointer?
    try check(unsafe git_commit_lookup(&commit, handle, &oid))
    defer { unsafe git_commit_free(commit) }
    guard let tree = unsafe git_commit_tree_id(commit), let author = unsafe git_commit_author(commit) else {
      throw Self.broken(path)
    }
    let parents = unsafe (0..<git_commit_parentcount(commit)).compactMap { unsafe git_commit_parent_id(commit, $0) }
    return unsafe Commit(
      tree: ObjectID(tree.pointee), parents: parents.map { unsafe ObjectID($0.pointee) },
      author: String(cString: author.pointee.name), time: Timestamp(seconds: author.pointee.when.time))
  }
}

/// Writes a file into a repository. An unfinished file leaves nothing behind.
@safe final class BlobWriter {
  private let stream: UnsafeMutablePointer<git_odb_stream>
  private let repository: Repository

  fileprivate init(_ stream: UnsafeMutablePointer<git_odb_stream>, of repository: Repository) {
    unsafe self.stream = unsafe stream
    self.repository = repository
  }

  deinit { unsafe git_odb_stream_free(stream) }

  func write(_ piece: [UInt8]) throws(SyncError) {
    try repository.check(unsafe git_odb_stream_write(stream, piece, piece.count))
  }

  /// Ends the file, which must have the announced size.
  func finish() throws(SyncError) -> ObjectID {
    var oid = git_oid()
    try repository.check(unsafe git_odb_stream_finalize_write(&oid, stream))
    return ObjectID(oid)
  }
}
