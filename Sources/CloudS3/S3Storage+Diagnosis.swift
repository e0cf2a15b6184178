internal import SyncKit

extension S3Storage {
  /// Probes the server again, regardless of stored results.
  func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await BucketListing.run(on: service, maxFiles: maxFiles)
    let count = listing.objects.keys.filter { !ReservedName.isReserved($0.name) && $0 != News.path }.count
    let behaviour = isReceiveOnly ? [.unprobed] : try await behaviour()
    return [Finding(.good, "\(address) is reachable and holds \(count.counted("file"))")]
      + [service.product.map { Finding(.good, "the server reports itself as \($0)") }].compactMap(\.self)
      + behaviour
      + [Prices.finding(listing: listing.pageCount, isAtAWS: service.bucket.isAtAWS)]
      + clock + foreign(listing)
      + listing.unread.map { Finding(.problem, "\($0.path) is an object in an archive class") }
  }

  private func behaviour() async throws(SyncError) -> [Finding] {
    let traits = try await Probe.run(on: service)
    return [traits.safety(files.allowsUnsafeWrites)] + (traits.isSafe ? [traits.removing, traits.checking] : [])
      + [traits.versions]
  }

  private var clock: [Finding] {
    guard service.clockOffset != 0 else { return [] }
    let seconds = Int(abs(service.clockOffset))
    return [
      Finding(
        .note,
        "this machine's clock is \(seconds.counted("second")) \(service.clockOffset > 0 ? "behind" : "ahead of") the server's; "
          + "syncd corrects its requests, but set the clock")
    ]
  }

  private func foreign(_ listing: BucketListing) -> [Finding] {
    guard listing.foreignCount > 0 else { return [] }
    return [
      Finding(
        .note,
        "\(listing.foreignCount.counted("object")) below the prefix cannot be a file in a folder, because of an empty part or `..` in the "
          + "key; ignored")
    ]
  }
}

/// The price of looking for changes.
enum Prices {
  /// The passes of a month at the default interval of 5 minutes.
  private static let passes = 30 * 24 * 12
  /// AWS's price of 1000 listing requests and of 1000 reading requests, in thousandths of a cent.
  private static let (listing, reading) = (500, 40)

  /// Returns the requests and their costs in a month in which nothing changes.
  static func finding(listing pages: Int, isAtAWS: Bool) -> Finding {
    let requests = pages > 1 ? passes + 30 * pages : passes
    let cost = pages > 1 ? passes * reading + 30 * pages * listing : passes * listing
    // Rounded up: prices are of 1000 requests, in thousandths of a cent.
    let cents = (cost + 999_999) / 1_000_000
    let price = "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    return Finding(
      .note,
      "looking for changes every 5 minutes takes about \(requests.counted("request")) a month"
        + (isAtAWS ? ", which cost \(price)" : "; at AWS's prices they cost \(price)"))
  }
}

/// The traits as text.
extension Traits {
  fileprivate func safety(_ isAllowed: Bool) -> Finding {
    guard !isSafe else {
      return Finding(
        .good,
        "two devices that write at the same time cannot overwrite each other's edits: the server keeps conditions on uploads"
          + (tagForm == .bare ? ", and compares tags without quotes" : ""))
    }
    let reason = "the server cannot keep two devices from overwriting each other's edits: \(failure)"
    return isAllowed
      ? Finding(.note, reason + "; `unsafe-writes` allows it")
      : Finding(.problem, reason + "; syncd does not write there unless `unsafe-writes = true`")
  }

  fileprivate var removing: Finding {
    switch removal {
    case .condition: Finding(.good, "syncd removes a file with a condition")
    case .twoSteps:
      Finding(
        .good,
        "syncd removes a file in two steps: a conditional upload of a tombstone, and a DELETE that expires in a minute")
    case .tombstone:
      Finding(
        .note,
        "the server neither keeps conditions on DELETE nor refuses an expired one, so an object of \(Tombstone.size) B stays in "
          + "the place of each removed file")
    }
  }

  fileprivate var checking: Finding {
    checksBodies
      ? Finding(.good, "the server compares each upload with its SHA-256")
      : Finding(.note, "the server does not compare uploads with their SHA-256")
  }

  fileprivate var versions: Finding {
    switch keepsVersions {
    case true?: Finding(.good, "the bucket keeps former versions; syncd removes none of them")
    case false?:
      Finding(
        .note,
        "the bucket keeps no former versions; enable versioning, with a rule that expires them after 90 days, as a protection "
          + "from other programs")
    case nil: Finding(.note, "the access key may not ask if the bucket keeps former versions (s3:GetBucketVersioning)")
    }
  }
}
