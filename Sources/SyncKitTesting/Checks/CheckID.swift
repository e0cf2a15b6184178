/// The stable identifier of a check. The check's text may change; exceptions, filters and reports use the identifier.
public struct CheckID: Hashable, Sendable, CustomStringConvertible {
  /// The identifier, such as `createRace`.
  public let description: String

  private init(_ name: String) { description = name }

  /// Every claim returns the same identity.
  public static let claim = CheckID("claim")
  /// Recording agreements twice changes nothing.
  public static let agreements = CheckID("agreements")
  /// A stamped generation is returned with the identity, or not stored at all.
  public static let stamp = CheckID("stamp")
  /// A batch can swap two files.
  public static let swap = CheckID("swap")
  /// A batch can move a file.
  public static let move = CheckID("move")
  /// A refused change does not prevent other changes of its batch.
  public static let refusalInBatch = CheckID("refusalInBatch")
  /// A write whose content is interrupted keeps the old version.
  public static let brokenContent = CheckID("brokenContent")
  /// A write whose content is shorter than announced keeps the old version.
  public static let shortContent = CheckID("shortContent")
  /// A cancelled write keeps the old version.
  public static let cancelledWrite = CheckID("cancelledWrite")
  /// Recovery changes nothing if nothing was interrupted.
  public static let idleRecovery = CheckID("idleRecovery")
  /// The listing of a fresh storage is empty and complete.
  public static let emptyListing = CheckID("emptyListing")
  /// A listing shows every file of every folder once.
  public static let fullListing = CheckID("fullListing")
  /// A listing of a thousand files is complete.
  public static let longListing = CheckID("longListing")
  /// A listing omits files that the filter refuses.
  public static let filteredListing = CheckID("filteredListing")
  /// Earlier knowledge does not change the result of a listing.
  public static let informedListing = CheckID("informedListing")
  /// A listing and a lookup by name agree.
  public static let listingAndLookup = CheckID("listingAndLookup")
  /// Temporary files are never listed.
  public static let temporaries = CheckID("temporaries")
  /// A hostile name is returned byte for byte, or declined.
  public static let hostileNames = CheckID("hostileNames")
  /// The name of a folder with a hostile name is returned byte for byte, or declined.
  public static let hostileFolders = CheckID("hostileFolders")
  /// Names that the naming rules forbid are declined.
  public static let namingRules = CheckID("namingRules")
  /// Similar names stay distinct if the naming rules distinguish them; otherwise one is declined.
  public static let similarNames = CheckID("similarNames")
  /// A lookup never returns the entry of another name.
  public static let exactLookup = CheckID("exactLookup")
  /// A missing root is reported as missing, or the root always exists.
  public static let missingRoot = CheckID("missingRoot")
  /// Creating the root again does not change the files.
  public static let repeatedRoot = CheckID("repeatedRoot")
  /// The marker is written and read by name, and never listed.
  public static let marker = CheckID("marker")
  /// An unreachable place is never reported as empty.
  public static let unreachable = CheckID("unreachable")
  /// No address, error or refusal contains a secret.
  public static let secrets = CheckID("secrets")
  /// At most one of several concurrent creations succeeds.
  public static let createRace = CheckID("createRace")
  /// At most one of several concurrent writes with the same revision succeeds.
  public static let writeRace = CheckID("writeRace")
  /// At most one of several concurrent writes and removals succeeds.
  public static let removalRace = CheckID("removalRace")
  /// Concurrent writes to different paths all succeed.
  public static let parallelWrites = CheckID("parallelWrites")
  /// A reader sees the complete old or new content, never a part.
  public static let wholeReads = CheckID("wholeReads")
  /// A read returns the revision that the content belongs to.
  public static let readRevision = CheckID("readRevision")
  /// A missing file is reported as absent, also in a missing folder and below a file.
  public static let absence = CheckID("absence")
  /// A folder is not a file.
  public static let folderIsNoFile = CheckID("folderIsNoFile")
  /// A batch of reads returns one result per path, in order.
  public static let readBatch = CheckID("readBatch")
  /// A removal removes one file and no other.
  public static let removal = CheckID("removal")
  /// A removal with a stale revision is refused and changes nothing.
  public static let staleRemoval = CheckID("staleRemoval")
  /// A removal of a missing file is refused and changes nothing.
  public static let repeatedRemoval = CheckID("repeatedRemoval")
  /// A folder that became empty is not listed, and a file can have its name.
  public static let removesFolders = CheckID("removesFolders")
  /// A removed file can be created again.
  public static let recreation = CheckID("recreation")
  /// A write, a listing and a lookup return the same revision.
  public static let sameRevision = CheckID("sameRevision")
  /// A revision changes with the content, or is not declared firm.
  public static let firmRevision = CheckID("firmRevision")
  /// A revision does not change without a write.
  public static let stableRevision = CheckID("stableRevision")
  /// A digest that is returned without reading is correct.
  public static let digest = CheckID("digest")
  /// A listing shows what another handle wrote, replaced and removed.
  public static let listingOfOthers = CheckID("listingOfOthers")
  /// A revision is valid for every handle.
  public static let sharedRevision = CheckID("sharedRevision")
  /// A write that another handle overtakes while its content is read is refused.
  public static let overtakenWrite = CheckID("overtakenWrite")
  /// A creation that another handle overtakes while its content is read is refused.
  public static let overtakenCreation = CheckID("overtakenCreation")
  /// Concurrent writes of two handles to different paths all succeed.
  public static let handlesAtOnce = CheckID("handlesAtOnce")
  /// A written file exists with its content.
  public static let write = CheckID("write")
  /// A write with the current revision replaces the file.
  public static let replacement = CheckID("replacement")
  /// A creation of an existing file is refused and changes nothing.
  public static let createExisting = CheckID("createExisting")
  /// A write with a stale revision is refused and changes nothing.
  public static let staleWrite = CheckID("staleWrite")
  /// A write to a removed file is refused and creates nothing.
  public static let writeAfterRemoval = CheckID("writeAfterRemoval")
  /// Repeating a write whose answer was lost changes nothing.
  public static let repeatedWrite = CheckID("repeatedWrite")
  /// A file may be empty.
  public static let emptyFile = CheckID("emptyFile")
  /// A file may consist of any single byte.
  public static let oneByteFile = CheckID("oneByteFile")
  /// A file of several mebibytes is returned unaltered.
  public static let largeFile = CheckID("largeFile")
  /// A file is not replaced by a folder with its name, nor a folder by a file.
  public static let fileOrFolder = CheckID("fileOrFolder")
  /// A batch returns one result per change, in order.
  public static let batch = CheckID("batch")
  /// A batch can replace a file by a folder.
  public static let folderForFile = CheckID("folderForFile")
}
