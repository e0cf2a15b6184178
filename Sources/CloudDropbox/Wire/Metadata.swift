internal import HTTPStorage
internal import SyncKit

/// Dropbox's metadata of a file or folder, or of a deleted one. Unknown members are ignored, because Dropbox may add some at
/// any time.
struct Metadata: Decodable, Sendable {
  enum Kind: Sendable {
    case file, folder, deleted
    /// A kind that this version does not know.
    case other
  }

  /// Nil where only one kind is possible.
  var tag: String?
  var name: String
  /// Nil if the item is not mounted.
  var pathLower: String?
  var pathDisplay: String?
  var rev: String?
  var size: Int?
  var contentHash: String?
  var clientModified: String?
  var isDownloadable: Bool?

  private enum CodingKeys: String, CodingKey {
    case tag = ".tag"
    case name
    case pathLower = "path_lower"
    case pathDisplay = "path_display"
    case rev, size
    case contentHash = "content_hash"
    case clientModified = "client_modified"
    case isDownloadable = "is_downloadable"
  }

  var kind: Kind {
    switch tag {
    case nil: rev == nil ? .folder : .file
    case "file": .file
    case "folder": .folder
    case "deleted": .deleted
    default: .other
    }
  }

  /// The version, if this is a file that has one.
  var version: Version? {
    guard kind == .file, let rev else { return nil }
    return Version(rev: rev, size: size ?? 0, hash: contentHash, isDownloadable: isDownloadable ?? true)
  }

  /// One version of a file.
  struct Version: Hashable, Sendable {
    var rev: String
    var size: Int
    var hash: String?
    var isDownloadable = true

    var revision: Revision { Revision(rev) }
  }
}

/// The result of a change: the metadata of the item.
struct Changed: Decodable, Sendable {
  var metadata: Metadata
}

/// A response whose content is not needed.
struct Ignored: Decodable, Sendable {
  init(from decoder: any Decoder) {}
}

/// A page of a listing.
struct ListingPage: Decodable, Sendable {
  var entries: [Metadata]
  var cursor: String
  var hasMore: Bool

  private enum CodingKeys: String, CodingKey {
    case entries, cursor
    case hasMore = "has_more"
  }

  /// Counts the page, which is not the last.
  func count(in limit: inout PageLimit) throws(CallError) {
    do throws(SyncError) { try limit.add(entries.count, next: cursor) } catch {
      throw CallError(kind: .notDone, error: error)
    }
  }
}

/// The result of one entry of a batch. The members of a success are beside its tag; those of a failure are nested tags.
struct BatchEnd: Decodable, Sendable {
  var isSuccess: Bool
  var metadata: Metadata?
  var refusal: Refusal

  private enum CodingKeys: String, CodingKey {
    case tag = ".tag"
    case failure, metadata, success
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    isSuccess = try members.decode(String.self, forKey: .tag) == "success"
    if let inner = try members.decodeIfPresent(Metadata.self, forKey: .metadata) {
      metadata = inner
    } else if let inner = try members.decodeIfPresent(Metadata.self, forKey: .success) {
      // A move.
      metadata = inner
    } else if isSuccess {
      // Some successes have no metadata.
      metadata = try? Metadata(from: decoder)
      // That tag is the one of the result.
      metadata?.tag = nil
    }
    refusal = Refusal(tags: try members.decodeIfPresent(TagChain.self, forKey: .failure)?.tags ?? [])
  }
}

struct BatchEnds: Decodable, Sendable {
  var entries: [BatchEnd]
}

/// An asynchronous job: its result, or the id for polling it.
struct Job: Decodable, Sendable {
  var tag: String
  var id: String?
  var entries: [BatchEnd]?

  private enum CodingKeys: String, CodingKey {
    case tag = ".tag"
    case id = "async_job_id"
    case entries
  }
}
