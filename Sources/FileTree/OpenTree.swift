internal import SyncKit

/// The tree during one set of operations: the root is opened once, and every path is resolved from there, component by
/// component, never through a link.
final class OpenTree {
  let root: Folder
  let id: String
  let parts: RemoteParts
  let primitives: Primitives
  let owner: Temporary.Owner
  /// See `FileTree`.
  let requests: ContentRequests
  /// The folder that was opened last, after the folders above it. Paths come in folder order, so the next one is mostly in it or
  /// beside it.
  private var opened: [(path: SyncPath, folder: Folder)] = []
  /// A folder that did not exist when it was looked for last.
  var missing: SyncPath?
  /// The unique part of the names of temporaries, and their number so far.
  private lazy var batch = parts.runtime.uniqueName()
  private var temporaries = 0

  /// The maximum number of folders that stay open.
  private static let depth = 16

  /// The tree below `root`, which has this id.
  init(_ root: Folder, id: String, of tree: FileTree) {
    self.root = root
    self.id = id
    parts = tree.parts
    primitives = Primitives(reach: tree.reach, isModern: tree.isModern)
    owner = Temporary.Owner(tree.parts)
    requests = tree.requests
  }

  /// Returns the location of `path`.
  func location(of path: SyncPath) throws(Obstacle) -> FileLocation {
    FileLocation(folder: try folder(at: path.parent), path: path)
  }

  /// Returns the folder at `path`, or the root.
  func folder(at path: SyncPath?) throws(Obstacle) -> Folder {
    guard let path else { return root }
    return try descend(to: path)
  }

  /// Drops what is known of folders, which may be gone by now.
  func forget() { (opened, missing) = ([], nil) }

  /// Returns a new name that no other process chooses.
  func temporary() -> Temporary {
    temporaries += 1
    return Temporary(of: owner, called: "\(batch)\(temporaries)")
  }

  private func descend(to path: SyncPath) throws(Obstacle) -> Folder {
    while let last = opened.last, path != last.path, !path.isInside(last.path) { opened.removeLast() }
    var folder = opened.last?.folder ?? root
    for name in path.bytes[(opened.last?.path.bytes.count ?? 0)...].split(separator: UInt8(ascii: "/")) {
      let fileName = FileName(name)
      let upper = SyncPath(bytes: Array(path.bytes[..<name.endIndex])) ?? path
      do throws(Errno) {
        folder = try folder.folder(fileName)
        try folder.requireNames()
      } catch {
        throw Obstacle(error, at: upper, fileName, in: folder)
      }
      if opened.count == Self.depth { opened.removeLast() }
      opened.append((upper, folder))
    }
    return folder
  }
}

/// The reason why the parent folder of a path cannot be opened.
enum Obstacle: Error {
  /// The folder does not exist.
  case missing(SyncPath)
  /// Something other than a folder is in its place.
  case inTheWay(SyncPath, FileFacts.Kind)
  case failed(SyncPath, Errno)

  fileprivate init(_ errno: Errno, at path: SyncPath, _ name: FileName, in folder: Folder) {
    switch errno {
    case .notFound: self = .missing(path)
    case .notAFolder, .isALink:
      // The same errno is returned for files and for links, which have different consequences.
      if let kind = try? folder.facts(of: name).kind { self = .inTheWay(path, kind) } else { self = .missing(path) }
    default: self = .failed(path, errno)
    }
  }

  /// True if it proves that the path does not exist: a path through a missing folder or through a file leads nowhere, while one
  /// through a link may lead anywhere.
  var provesAbsence: Bool {
    switch self {
    case .missing, .inTheWay(_, .file): true
    case .inTheWay, .failed: false
    }
  }

  /// True if the names in a folder are only in a cloud.
  var isElsewhere: Bool { if case .failed(_, .elsewhere) = self { true } else { false } }

  var error: SyncError {
    switch self {
    case .missing(let path): SyncError(.notFound, "the folder \(path) does not exist")
    case .inTheWay(let path, .special(let what)): SyncError(.pathFailed, "\(path) is \(what), not a folder")
    case .inTheWay(let path, _): SyncError(.pathFailed, "\(path) is a file, not a folder")
    case .failed(let path, let errno): SyncError(errno, at: path)
    }
  }
}
