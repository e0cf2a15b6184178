import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// Makes a plan by a dry run.
struct Planning {
  let workspace: Workspace
  let remotes: [RemoteConfiguration]

  /// The maximum size of a file whose headings are compared, in bytes.
  private static let largestFile = 10_000_000

  /// Returns the reports of a dry run.
  func reports(_ reviews: [String: RemoteReview] = [:]) async throws(SyncError) -> [PassReport] {
    var options = workspace.options
    options.isDryRun = true
    let reports = await workspace.sync(remotes, options, reviews: reviews)
    // Part of a plan would look like all of it.
    for report in reports {
      guard let failure = report.failure else { continue }
      throw SyncError(
        failure.code, "cannot plan the remote \(report.remote): \(failure.message)", cause: failure.cause,
        remedy: failure.remedy)
    }
    return reports
  }

  /// Returns the plan.
  ///
  /// - Parameter allowsDeletions: true to approve the deletions that are held.
  func plan(allowsDeletions: Bool) async throws(SyncError) -> PlanFile {
    var reports = try await reports()
    var approved: [String: Set<HeldItem>] = [:]
    if allowsDeletions {
      for report in reports { approved[report.remote] = report.hold?.items ?? [] }
      reports = try await self.reports(approved.mapValues { RemoteReview(approved: $0) })
    }
    var plan = PlanFile(
      created: "\(CivilTime(Runtime.real.now()))", device: workspace.device.name,
      store: workspace.configuration.store.place, remotes: [])
    for (report, remote) in zip(reports, remotes) {
      plan.remotes.append(
        PlanFile.Remote(
          name: report.remote, changes: try await changes(in: report, of: remote),
          approved: (approved[report.remote] ?? []).sorted().map(PlanFile.Deletion.init)))
    }
    return plan
  }

  private func changes(in report: PassReport, of remote: RemoteConfiguration) async throws(SyncError)
    -> [PlanFile.Change]
  {
    try await read(report.planned, of: remote)
    let details = Dictionary(report.actions.map { ($0.path, $0.detail) }, uniquingKeysWith: { first, _ in first })
    var changes: [PlanFile.Change] = []
    for change in report.planned {
      var item = PlanFile.Change(change, detail: details[change.path] ?? "")
      if OrgMerger.isOrg(change.path.name), change.kind != .hold {
        (item.local.lost, item.local.gained) = try await headings(from: change.local, to: change.after)
        (item.remote.lost, item.remote.gained) = try await headings(from: change.remote, to: change.after)
      }
      changes.append(item)
    }
    return changes
  }

  /// Reads the Org files of a plan on both sides, so that their contents are available.
  private func read(_ changes: [PlannedChange], of remote: RemoteConfiguration) async throws(SyncError) {
    let files = changes.filter { OrgMerger.isOrg($0.path.name) && $0.kind != .hold }
    let sink = workspace.archive.intake(keepingAtMost: Self.largestFile)
    let here = files.filter { $0.local != nil }.map(\.path)
    if !here.isEmpty { _ = try await workspace.stack.openStore().read(here, into: sink) }
    let there = files.filter { $0.remote != nil }.map(\.path)
    if !there.isEmpty { _ = try await workspace.stack.open(remote).read(there, into: sink) }
  }

  /// Returns the headings that a change removes and adds; none if a version is not available or too large.
  private func headings(from old: Digest?, to new: Digest?) async throws(SyncError) -> (
    lost: [String], gained: [String]
  ) {
    guard old != new, let before = try await bytes(old), let after = try await bytes(new) else { return ([], []) }
    let changes = OrgDiff(from: before, to: after).changes
    func titles(_ kind: OrgDiff.Change.Kind) -> [String] {
      changes.filter { $0.kind == kind && !$0.path.isEmpty }.map { $0.path.joined(separator: "/").printableLine }
    }
    return (titles(.removed), titles(.added))
  }

  private func bytes(_ digest: Digest?) async throws(SyncError) -> [UInt8]? {
    guard let digest else { return [] }
    guard let content = try await workspace.archive.content(digest), content.size <= Self.largestFile else {
      return nil
    }
    return try await content.bytes()
  }
}
