@testable import SealedStorage
@testable import SyncDaemon
@testable import SyncKit

extension FuzzTarget {
  static let control = FuzzTarget(
    name: "control", tokens: ["{\"do\": \"", "\"remotes\": [", "]", "}", "status", "yield", "null", "\\u0000"]
  ) { input in
    if case .failure(let mistake) = ControlRequest.read(String(decoding: input, as: UTF8.self)) {
      let line = JSON.refusal(mistake.message).line
      guard !line.utf8.contains(where: { $0 < 0x20 }) else { throw Wrong("an answer of two lines") }
    }
  }

  static let marker = FuzzTarget(name: "marker", tokens: ["sealed age ", "clock ", "syncd root ", "\n", "=", "AAAA"]) {
    input in
    _ = (RootMarker(input), SealedMarker(input))
  }

  static let remoteKey = FuzzTarget(name: "remote-key", tokens: ["# syncd key 2 ", " names=hidden", "=", "\n"]) {
    input in
    guard let key = RemoteKey(input) else { return }
    guard Label(input, key) == nil, UnprovenLabel(input, key) == nil else { throw Wrong("a label without the key") }
  }

  static let ignore = FuzzTarget(
    name: "ignore", tokens: ["*", "**/", "!", "/", "[a-z]", "[!", "[[:alpha:]]", "\\", "?", "\n", "{a,b}"]
  ) { input in
    let lines = String(decoding: input, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    let filter = PathFilter(include: [], ignore: lines)
    for path in ["a.org", "d/b.org", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b/c/d"] {
      _ = filter.accepts(file: Array(path.utf8))
    }
  }
}
