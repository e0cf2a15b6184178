internal import SFTPWire
internal import SyncKit

extension SFTPStorage {
  /// Probes the server again, regardless of stored results.
  func diagnose() async throws(SyncError) -> [Finding] {
    let listing = try await TreeListing.run(on: self, PathFilter())
    let reach = Finding(
      .good, "\(address) holds \(listing.files.count.counted("file")); syncd reaches it \(await server.route())")
    let findings = try await (parts.isReceiveOnly ? [.unprobed] : behaviour()) + freeSpace() + unreadable(listing)
    return [reach] + findings + leftovers(listing)
  }

  private func behaviour() async throws(SyncError) -> [Finding] {
    do throws(SyncError) {
      let traits = try await Probe.run(on: self)
      return [traits.safety(settings.unsafeWrites)] + (traits.isSafe ? [traits.method] : []) + [traits.durability]
    } catch {
      guard error.reach == .path else { throw error }
      return [Finding(.problem, error.message)]
    }
  }

  private func freeSpace() async throws(SyncError) -> [Finding] {
    guard case .extended(let payload) = try await server.perform(.freeSpace(folder.bytes(of: nil))) else { return [] }
    var reader = SFTPReader(payload)
    // The block size, the fragment size, and the numbers of all, free and available fragments.
    var numbers: [UInt64] = []
    do throws(SFTPError) { for _ in 0..<5 { numbers.append(try reader.long()) } } catch { return [] }
    let (bytes, overflow) = numbers[1].multipliedReportingOverflow(by: numbers[4])
    guard !overflow else { return [] }
    return bytes < 100 << 20
      ? [Finding(.note, "only \(bytes >> 20) MiB are free on the host")]
      : [Finding(.good, "\(bytes >> 20) MiB are free on the host")]
  }

  private func unreadable(_ listing: TreeListing) -> [Finding] {
    listing.unread.compactMap { part in
      guard case .failed(let reason) = part.reason else { return nil }
      return Finding(.problem, "cannot read \(part.path): \(reason)")
    }
  }

  private func leftovers(_ listing: TreeListing) -> [Finding] {
    let names = Leftovers(storage: self, listing).foreign
    guard let first = names.first else { return [] }
    return [
      Finding(
        .note,
        "other devices left \(names.count.counted("temporary file")) such as \(first); their next runs remove them. If a device is "
          + "gone for good, check the contents and remove them by hand")
    ]
  }
}

/// The traits as text.
extension Traits {
  fileprivate func safety(_ isAllowed: Bool) -> Finding {
    guard !isSafe else {
      return Finding(
        .good, "two devices that write at the same time cannot overwrite each other's edits: no move overwrites a file")
    }
    let reason = "the server cannot keep two devices from overwriting each other's edits: \(failure)"
    return isAllowed
      ? Finding(.note, reason + "; `unsafe-writes` allows it")
      : Finding(.problem, reason + "; syncd does not write there unless `unsafe-writes = true`")
  }

  fileprivate var method: Finding {
    Finding(
      .good,
      placing == .link
        ? "syncd gives a new version its name with a link, which the server refuses if the name is taken"
        : "syncd gives a new version its name with a rename, which the server refuses if the name is taken")
  }

  fileprivate var durability: Finding {
    syncs
      ? Finding(.good, "the server writes uploads to its disk on request")
      : Finding(
        .note, "the server cannot write uploads to its disk on request; a power failure there may lose the last ones")
  }
}
