import Foundation
import SyncKit

@testable import CloudDropbox

extension FuzzTarget {
  static let dropbox = FuzzTarget(
    name: "dropbox",
    tokens: [
      "{\".tag\": \"file\"}", "\"deleted\"", "null", "{", "}", "[", "]", "\"path_lower\": \"/\"", "\"size\": ",
      "\\u0000", "..", "/",
    ]
  ) { input in
    let (data, decoder) = (Data(input), JSONDecoder())
    if let page = try? decoder.decode(ListingPage.self, from: data), let folder = DropboxFolder("") {
      var tree = RemoteTree()
      tree.apply(page.entries, in: folder)
      for file in tree.files() where file.path.bytes.isEmpty { throw Wrong("an empty path") }
    }
    if let ends = try? decoder.decode(BatchEnds.self, from: data) { _ = ends.entries.map { $0.refusal.error(at: "a") } }
    _ = try? decoder.decode(Job.self, from: data)
    _ = try? decoder.decode(Changed.self, from: data)
    _ = try? decoder.decode(LongPoll.Answer.self, from: data)
  }
}
