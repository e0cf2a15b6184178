internal import OrgKit
internal import SyncKit

extension SyncPath {
  /// True if it is the path of an Org file, as org-mobile stages them; not of an archive.
  var isOrg: Bool { OrgMerge.Path.name(name, endsWith: ".org") }
}
