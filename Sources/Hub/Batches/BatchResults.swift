import OrgKit
import SyncKit

/// The results of a batch as the answer has them.
struct BatchResults {
  /// The results in the order of the patches, with the entries as they are after the whole batch.
  let json: [JSON]
  /// The identifiers of the entries that changed.
  let items: [String]

  init(_ run: PatchRun, of batch: Batch) {
    var run = run
    var items: [String] = []
    json = zip(batch.patches, run.outcomes).map { patch, outcome in
      var result = Self.json(outcome, &run)
      if !patch.id.isEmpty { result["for"] = .string(patch.id) }
      if case .applied(let id?, _) = outcome { items.append(run.present(id)) }
      return result
    }
    self.items = items
  }

  private static func json(_ outcome: PatchRun.Outcome, _ run: inout PatchRun) -> JSON {
    switch outcome {
    case .applied(let id, let isMerged):
      entry(id, ["result": isMerged ? "merged" : "applied"], &run)
    case .unchanged(let id): entry(id, ["result": "unchanged"], &run)
    case .conflict(let id, let fields):
      entry(id, ["result": "conflict", "fields": .object(fields.map(member))], &run)
    case .gone: ["result": "gone"]
    case .refused(let refusal):
      [
        "result": "refused", "detail": .string(refusal.description),
        "question": .boolean(refusal.kind == .question),
      ]
    case .locked(let file, let owner):
      ["result": "locked", "detail": .string("\(file) has unsaved changes in an editor (\(owner))")]
    }
  }

  private static func member(_ field: (field: String, old: String?, yours: String?, hubs: String?)) -> JSON.Member {
    let text = { (text: String?) in text.map(JSON.string) ?? .null }
    return JSON.Member(field.field, ["old": text(field.old), "yours": text(field.yours), "hubs": text(field.hubs)])
  }

  private static func entry(_ id: String?, _ result: JSON, _ run: inout PatchRun) -> JSON {
    var result = result
    guard let id, let found = run.entry(id) else {
      result["item"] = .null
      return result
    }
    result["id"] = .string(found.id)
    result["item"] = found.file.json(found.place)
    return result
  }
}
