import BackendOrgMobile
import CipherOrgMobile
import ProgramTesting
import SyncKit
import SyncKitTesting

/// An org-mobile staging area in the storage of two devices: one has the desktop role, the other the phone role.
public struct StagingAreaExchange: Sendable {
  private let desktop: TestDevice
  private let phone: TestDevice
  private let password: String?
  /// A clock that stands still: the agenda views of another day differ.
  private let runtime: Runtime

  /// - Parameter password: the password of the staging area; nil if it is not encrypted.
  public init(desktop: TestDevice, phone: TestDevice, password: String?) {
    self.desktop = desktop
    self.phone = phone
    self.password = password
    let now = Runtime.real.now()
    runtime = Runtime(now: { now }, random: Runtime.real.random, sleep: Runtime.real.sleep)
  }

  /// Sends files to the phone, and edits and captures back, each once; throws if one does not arrive.
  public func run() async throws {
    try await desktop.write("* One\ntext\n* Two\n", to: "sub/w ö.org")
    try await expect(.synced, desktop, .desktop)
    try await expect(.synced, phone, .mobile)
    try require(try await files(of: phone) == ["sub/w ö.org": "* One\ntext\n* Two\n"], "the phone has another text")
    try require(try await phone.texts()["agendas.org"]?.contains("* ToDo: ALL") == true, "the phone has no views")
    try await phone.write("* TODO One\nother text\n* Two\n** Added\n", to: "sub/w ö.org")
    try await phone.write("* Captured\n", to: "inbox.org")
    try await expect(.waiting, phone, .mobile)
    try await expect(.synced, desktop, .desktop)
    let texts = try await desktop.texts()
    try require(texts["inbox.org"] == "* Captured\n", "the capture did not arrive as it was: \(texts)")
    try require(
      texts["sub/w ö.org"]?.hasSuffix("* TODO One\nother text\n* Two\n** Added\n") == true,
      "the edits did not arrive: \(texts)")
    try await expect(.synced, phone, .mobile)
    try require(try await files(of: phone) == texts, "the phone has not what the desktop has")
    let views = try await phone.texts()["agendas.org"] ?? ""
    try require(views.contains("**  TODO One<before>w ö:</before>"), "the views are old ones: \(views)")
    try require(try await sync(desktop, .desktop).didSomething == false, "something is left to do")
  }

  /// The files of a phone, without the agenda views.
  private func files(of phone: TestDevice) async throws -> [String: String] {
    try await phone.texts().filter { $0.key != "agendas.org" }
  }

  private func expect(_ result: PassResult, _ device: TestDevice, _ role: OrgMobile.Role) async throws {
    let report = try await sync(device, role)
    try require(report.result == result, "a pass of \(device.name) ended so: \(report)")
  }

  private func require(_ holds: Bool, _ message: String) throws { if !holds { throw TestFailure(message) } }

  private func sync(_ device: TestDevice, _ role: OrgMobile.Role) async throws -> PassReport {
    let context = PluginContext(table: "remotes.emacs", environment: SettingsEnvironment(folder: "/"))
    let identity = Device(id: device.name, name: device.name)
    var parts = RemoteParts(
      name: "test", storage: device.storage, device: identity, runtime: runtime, contents: device.archive,
      journal: device.archive.journal(of: "test"))
    if let password {
      var settings = OpenSSL.Settings()
      settings.password = Secret(password)
      parts.cipher = try await OpenSSL(settings, context).open(parts)
    }
    var settings = OrgMobile.Settings()
    settings.role = role
    let remote = try await OrgMobile(settings, context).open(parts)
    let pass = PassParts(
      name: "test", local: device.store, remote: remote, archive: device.archive, merger: LineMerger(), device: identity
    )
    return await SyncRun([pass], waits: true).run()[0]
  }
}
