/// A store and a remote so small that all of them can be tried: three paths, each absent or one of three contents.
struct TinyState: Hashable, Sendable {
  /// What is at the three paths; 0 stands for nothing.
  typealias Files = [UInt8]

  static let paths = 3
  /// How many states one path can be in: base, local and remote, each one of four.
  private static let perPath = 64

  var base: Files
  var local: Files
  var remote: Files

  /// The state whose paths are in these states.
  private init(_ paths: [Int]) {
    base = paths.map { UInt8($0 & 3) }
    local = paths.map { UInt8($0 >> 2 & 3) }
    remote = paths.map { UInt8($0 >> 4 & 3) }
  }

  /// The same, as it looks from the other side.
  var mirrored: TinyState {
    var state = self
    swap(&state.local, &state.remote)
    return state
  }

  /// How many states there are: 262,144.
  static let count = perPath * perPath * perPath

  /// The state with this number, below `count`.
  init(number: Int) {
    self.init([number % Self.perPath, number / Self.perPath % Self.perPath, number / Self.perPath / Self.perPath])
  }

  /// One state of each kind: all others are the same with other names for the paths and other contents.
  static let kinds: [TinyState] = {
    let paths = (0..<perPath).flatMap { x in (x..<perPath).flatMap { y in (y..<perPath).map { [x, y, $0] } } }
    return paths.filter { paths in
      renumberings.allSatisfy { !paths.map($0).sorted().lexicographicallyPrecedes(paths) }
    }.map(TinyState.init)
  }()

  /// The ways to give the three contents other numbers, for the state of one path.
  private static let renumberings: [@Sendable (Int) -> Int] = [
    [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1],
  ].map { numbers in
    { @Sendable path in numbers[path & 3] | numbers[path >> 2 & 3] << 2 | numbers[path >> 4 & 3] << 4 }
  }
}

extension TinyState: CustomStringConvertible {
  var description: String { "base \(base), local \(local), remote \(remote)" }
}

/// What has become of a state when all is quiet and everything that was held has been allowed.
struct TinyEnd: Hashable, Sendable {
  /// What is at the three paths, on each side.
  var local: TinyState.Files
  var remote: TinyState.Files
  /// The contents under any other names, on each side, in order.
  var localCopies: [UInt8] = []
  var remoteCopies: [UInt8] = []
  /// The contents that the archive holds.
  var history: Set<UInt8> = []
}
