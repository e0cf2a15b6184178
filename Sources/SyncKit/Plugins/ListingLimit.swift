/// A limit for the files and folders of a listing, so that no server can fill the memory by listing endlessly.
public struct ListingLimit: Sendable {
  /// The default of the setting `max-files`.
  public static let defaultMaximum = 200_000

  private let maximum: Int
  private let address: String
  private var count = 0

  /// - Parameters:
  ///   - maximum: The setting `max-files` of the remote.
  ///   - address: The place that is listed, for the error.
  public init(_ maximum: Int, address: String) {
    self.maximum = maximum
    self.address = address
  }

  /// Counts listed files and folders. Throws `unavailable` if the listing has too many; such a listing proves nothing.
  public mutating func add(_ count: Int) throws(SyncError) {
    self.count += count
    guard self.count <= maximum else {
      throw SyncError(
        .unavailable, "\(address) has more files and folders than `max-files` allows (\(maximum)); nothing was changed")
    }
  }
}
