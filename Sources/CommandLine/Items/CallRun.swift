package import OrgKit

/// Carries out the calls of a file one after the other.
package struct CallRun: Sendable {
  package var files: OrgFileSet
  private let calls: CallFile
  private let settings: OrgSettings
  private let zone: OrgZone
  private let newID: @Sendable () -> String

  /// The user of the recorded results.
  private static let userName = "Ada Example"

  package init(
    _ calls: CallFile, _ files: OrgFileSet, settings: OrgSettings, zone: OrgZone,
    newID: @escaping @Sendable () -> String
  ) {
    (self.calls, self.files, self.settings, self.zone, self.newID) = (calls, files, settings, zone, newID)
  }

  /// Returns the answers to all calls; the changed files are in ``files``.
  package mutating func run() -> [CallAnswer] {
    var now = calls.now
    return calls.calls.map { call in
      // The clock stays where a call has set it.
      now = call.now ?? now
      do throws(Refusal) {
        return CallAnswer(verb: call.verb, value: try carryOut(call, now: now))
      } catch {
        return CallAnswer(verb: call.verb, error: error.description)
      }
    }
  }

  private mutating func carryOut(_ call: CallFile.Call, now: String?) throws(Refusal) -> CallValue? {
    let file = calls.file ?? "notes.org"
    let place = OrgPlace(call.at, file: file)
    var context = OrgContext(
      now: now.flatMap { OrgMoment($0) } ?? OrgMoment(year: 2026, month: 3, day: 10, hour: 14, minute: 30), zone: zone,
      settings: settings, newID: newID)
    context.userName = Self.userName
    context.answers = call.answers ?? []
    context.notes = (call.notes ?? []).map { $0.text.map(OrgNote.text) ?? .aborted }
    if let verb = try OrgVerb(call, file: file) {
      _ = try apply(verb, to: place, in: &files, context)
      return nil
    }
    return try answer(call, place, context)
  }
}
