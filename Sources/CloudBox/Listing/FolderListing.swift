internal import HTTPStorage
internal import SyncKit

/// The items of one folder.
enum FolderListing: Sendable {
  case items([Item])
  /// The folder does not exist, or is in the trash.
  case missing
  /// The account may not see it, for this reason.
  case denied(String)
}

extension Service {
  private static let pageSize = 1_000

  /// Lists a folder by markers, which show an item that stays exactly once, whatever changes meanwhile.
  ///
  /// - Parameter address: the remote's folder, for messages
  func list(_ folder: String, maxFiles: Int, address: String) async throws(SyncError) -> FolderListing {
    var items: [Item] = []
    var limit = PageLimit(maxFiles, address: address)
    var marker: String?
    repeat {
      var fields = [("usemarker", "true"), ("limit", String(Self.pageSize)), ("fields", Item.fields)]
      if let marker { fields.append(("marker", marker)) }
      let answer = try await ask("folders/\(folder)/items?\(FormEncoding.text(fields))")
      switch answer.status {
      case 404: return .missing
      case 403 where !answer.has("insufficient_scope"): return .denied(failure(answer, at: "a folder").message)
      default: break
      }
      let page: FolderPage = try value(in: answer, at: address)
      items += page.entries.filter(\.isActive)
      marker = page.nextMarker.flatMap { $0.isEmpty ? nil : $0 }
      try limit.add(page.entries.count, next: marker)
    } while marker != nil
    guard Set(items.map(\.id)).count == items.count, Set(items.map { Array($0.name.utf8) }).count == items.count else {
      throw SyncError(.unavailable, "the listing of \(address) has an item twice; nothing is concluded from it")
    }
    return .items(items)
  }
}
