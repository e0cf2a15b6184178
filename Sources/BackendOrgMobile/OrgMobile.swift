public import SyncKit

public let plugins: [any Plugin.Type] = [OrgMobile.self]

/// Syncs through the files of Emacs' org-mobile.el, in the role of the phone or of the desktop.
public struct OrgMobile: SyncBackend {
  public static let id = "org-mobile"
  public static let summary =
    "Exchanges Org files and edits with Emacs' org-mobile or its phones."
  public static let usesStorage = true
  public static let ciphers: Set<String> = ["openssl"]
  /// A pass files captures and clears the capture file before it compares anything.
  public static let allowsModes = false
  public static let allowsMatch = false

  public struct Settings: PluginSettings {
    @Setting("Role of this side: mobile if Emacs pushes and pulls, desktop if phones read and write.", .shareable)
    public var role = Role.mobile
    @Setting("File in the store for captures; its new entries go to Emacs as captures.", .shareable)
    public var inbox = "inbox.org"
    @Setting("What Emacs does with an entry that was removed here.", .shareable) public var removal = Removal.archive
    @Setting("As the desktop: task states for phones, each as the value of a #+TODO: line.", .shareable)
    public var todo = ["TODO NEXT WAITING | DONE CANCELLED"]
    @Setting(
      "As the desktop: agenda views for phones, each a number of days, all open tasks, or a match.", .shareable)
    public var agendas: [AgendaView] = [.days(7), .todo]

    public init() {}

    public var contradictions: [String] {
      SyncPath(inbox) == nil ? ["`inbox` must be a relative path in the store"] : []
    }
  }

  /// The side of the protocol that syncd takes.
  public enum Role: String, CaseIterable, SettingValue {
    case mobile, desktop
  }

  /// What happens on the desktop to an entry that was removed in the store.
  public enum Removal: String, CaseIterable, SettingValue {
    case archive, delete, flag
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    guard let storage = parts.storage else {
      throw SyncError(.invalidSettings, "the remote \(parts.name) requires a `cloud` for its staging area")
    }
    let area = StagingArea(storage: storage, cipher: parts.cipher)
    if settings.role == .desktop {
      let inbox = SyncPath(settings.inbox) ?? StagingArea.path("inbox.org")
      return DesktopReplica(area, parts, inbox: inbox, todoLines: settings.todo, views: settings.agendas)
    }
    let options = EditPlan.Options(
      inbox: SyncPath(settings.inbox), removal: EditPlan.Removal(rawValue: settings.removal.rawValue) ?? .archive,
      device: parts.device.name)
    return MobileReplica(area, parts, options)
  }
}
