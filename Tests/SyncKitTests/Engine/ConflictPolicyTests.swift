import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("The policy for conflicts")
struct ConflictPolicyTests {
  private func policies(_ rules: String..., standard: ConflictPolicy = .merge) throws -> ConflictPolicies {
    ConflictPolicies(standard, rules: try rules.map { try #require(ConflictRule(text: $0)) })
  }

  @Test("the last rule that matches a file or a folder above it decides")
  func lastRule() throws {
    let policies = try policies(
      "*.org -> prefer-remote", "journal/** -> prefer-newer", "/a -> b.org->keep-both", "archive/ -> prefer-local",
      standard: .keepBoth)
    #expect(policies.policy(for: path("x.org")) == .preferRemote)
    #expect(policies.policy(for: path("journal/2026/x.org")) == .preferNewer)
    #expect(policies.policy(for: path("a -> b.org")) == .keepBoth)
    #expect(policies.policy(for: path("archive/d/x.org")) == .preferLocal)
    #expect(policies.policy(for: path("x.txt")) == .keepBoth)
  }

  @Test(
    "a rule needs a pattern, an arrow and a policy",
    arguments: [
      "", "*.org", "*.org ->", "-> merge", "*.org -> Merge", "*.org -> merge it", "!*.org -> merge", "# -> merge",
      "[ -> merge", "*.org = merge",
    ])
  func malformed(text: String) {
    #expect(ConflictRule(text: text) == nil)
  }

  @Test("a remote's policy replaces the general ones, and its rules are added to them")
  func ofARemote() throws {
    let general = try policies("*.org -> prefer-local", standard: .keepBoth)
    let rule = try #require(ConflictRule(text: "a.org -> prefer-remote"))
    let added = general.with(nil, rules: [rule])
    #expect(["a.org", "b.org", "c"].map { added.policy(for: path($0)) } == [.preferRemote, .preferLocal, .keepBoth])
    let replaced = general.with(.merge, rules: [rule])
    #expect(["a.org", "b.org", "c"].map { replaced.policy(for: path($0)) } == [.preferRemote, .merge, .merge])
  }

  @Test("the newer file is preferred; equal and unknown times are merged")
  func newer() throws {
    let policies = ConflictPolicies(.preferNewer)
    let (old, new) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    #expect(policies.treatment(of: path("a"), local: new, remote: old) == .prefer(.local))
    #expect(policies.treatment(of: path("a"), local: old, remote: new) == .prefer(.remote))
    #expect(policies.treatment(of: path("a"), local: old, remote: old) == .merge)
    #expect(policies.treatment(of: path("a"), local: nil, remote: old) == .merge)
    #expect(policies.treatment(of: path("a"), local: old, remote: nil) == .merge)
  }

  @Test("files of one pass are resolved by their own policies, and an entry that moved between them stays")
  func mixed() async throws {
    let pair = Pair()
    await pair.set { options in
      options.conflicts = ConflictPolicies(
        rules: ["l* -> prefer-local", "r* -> prefer-remote", "b* -> keep-both"].compactMap(ConflictRule.init(text:)))
    }
    let names = ["l", "r", "b", "l.org", "r.org", "m.org"]
    await pair.agree(on: Dictionary(uniqueKeysWithValues: names.map { ($0, "base") }))
    await pair.edit(.local, Dictionary(uniqueKeysWithValues: names.map { ($0, "base local") }))
    await pair.edit(.remote, Dictionary(uniqueKeysWithValues: names.map { ($0, "base remote") }))
    let (report, isQuiet) = await pair.passes()
    var files = try #require(await pair.both())
    #expect(files.removeValue(forKey: "l") == "base local" && files.removeValue(forKey: "r") == "base remote")
    for name in ["l.org", "r.org", "m.org"] { #expect(files.removeValue(forKey: name) == "base local remote") }
    #expect(files.keys.contains("b") && Set(files.values) == ["base local", "base remote"])
    #expect(report.counts.conflicts == 1 && isQuiet)
    #expect(await pair.lost().isEmpty)
  }
}
