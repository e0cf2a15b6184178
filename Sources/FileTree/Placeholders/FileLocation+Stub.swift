internal import SyncKit

extension FileLocation {
  /// The path of the stub that stands for the missing file at this location: `.notes.org.icloud`, `notes.org.nextcloud`. Nil if
  /// there is none.
  func stub() -> SyncPath? {
    let names = [Array(".".utf8) + path.name + Array(".icloud".utf8)] + Self.endings.map { path.name + Array($0.utf8) }
    return names.first { (try? folder.facts(of: FileName($0)).kind) == .file }.flatMap { path.sibling($0) }
  }

  private static let endings = [".nextcloud", ".owncloud"]
}
