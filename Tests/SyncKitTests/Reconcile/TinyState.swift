/// A store and a remote that are small enough to test all states: three paths, each absent or one of three contents.
struct TinyState: Hashable, Sendable {
  /// The contents of the three paths; 0 means no file.
  typealias Files = [UInt8]

  static let paths = 3
  /// The number of states of one path: base, local and remote, each one of four.
  private static let perPath = 64

  var base: Files
  var local: Files
  var remote: Files

  /// The state with these states of its paths.
  private init(_ paths: [Int]) {
    base = paths.map { UInt8($0 & 3) }
    local = paths.map { UInt8($0 >> 2 & 3) }
    remote = paths.map { UInt8($0 >> 4 & 3) }
  }

  /// The same state with the sides exchanged.
  var mirrored: TinyState {
    var state = self
    swap(&state.local, &state.remote)
    return state
  }

  /// The number of states: 262,144.
  static let count = perPath * perPath * perPath

  /// The state with this number, below `count`.
  init(number: Int) {
    self.init([number % Self.perPath, number / Self.perPath % Self.perPath, number / Self.perPath / Self.perPath])
  }

  /// One state of each kind: all others differ only in the names of the paths and in the contents.
  static let kinds: [TinyState] = {
    let paths = (0..<perPath).flatMap { x in (x..<perPath).flatMap { y in (y..<perPath).map { [x, y, $0] } } }
    return paths.filter { paths in
      renumberings.allSatisfy { !paths.map($0).sorted().lexicographicallyPrecedes(paths) }
    }.map(TinyState.init)
  }()

  /// The permutations of the three contents, for the state of one path.
  private static let renumberings: [@Sendable (Int) -> Int] = [
    [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1],
  ].map { numbers in
    { @Sendable path in numbers[path & 3] | numbers[path >> 2 & 3] << 2 | numbers[path >> 4 & 3] << 4 }
  }
}

extension TinyState: CustomStringConvertible {
  var description: String { "base \(base), local \(local), remote \(remote)" }
}

/// The end of a state when all is quiet and everything that was held has been approved.
struct TinyEnd: Hashable, Sendable {
  /// The contents of the three paths on each side.
  var local: TinyState.Files
  var remote: TinyState.Files
  /// The contents under any other names on each side, sorted.
  var localCopies: [UInt8] = []
  var remoteCopies: [UInt8] = []
  /// The contents that the archive holds.
  var history: Set<UInt8> = []
}
