/// The stable identifier of a check. Its text may change; exceptions, filters and reports go by the identifier.
public struct CheckID: Hashable, Sendable, CustomStringConvertible {
  /// The identifier, such as `createRace`.
  public let description: String

  private init(_ name: String) { description = name }

  /// A claim returns an identity, and the same one ever after.
  public static let claim = CheckID("claim")
  /// Agreements can be recorded twice and change nothing.
  public static let agreements = CheckID("agreements")
  /// A stamped generation comes back with the identity, or is not kept at all.
  public static let stamp = CheckID("stamp")
  /// A batch can swap two files.
  public static let swap = CheckID("swap")
  /// A batch can move a file.
  public static let move = CheckID("move")
  /// A refused change takes nothing of its batch with it.
  public static let refusalInBatch = CheckID("refusalInBatch")
  /// A write whose content is interrupted leaves the old version.
  public static let brokenContent = CheckID("brokenContent")
  /// A write whose content is shorter than announced leaves the old version.
  public static let shortContent = CheckID("shortContent")
  /// A cancelled write leaves the old version.
  public static let cancelledWrite = CheckID("cancelledWrite")
  /// Recovery changes nothing where nothing was interrupted.
  public static let idleRecovery = CheckID("idleRecovery")
  /// The listing of a fresh storage is empty and complete.
  public static let emptyListing = CheckID("emptyListing")
  /// A listing shows every file of every folder once.
  public static let fullListing = CheckID("fullListing")
  /// A listing of a thousand files is complete.
  public static let longListing = CheckID("longListing")
  /// A listing leaves out what the filter refuses.
  public static let filteredListing = CheckID("filteredListing")
  /// What is known before a listing changes nothing in it.
  public static let informedListing = CheckID("informedListing")
  /// A listing and a lookup by name agree.
  public static let listingAndLookup = CheckID("listingAndLookup")
  /// Temporary files are never listed.
  public static let temporaries = CheckID("temporaries")
  /// A hostile name comes back byte for byte, or is declined.
  public static let hostileNames = CheckID("hostileNames")
  /// A folder with a hostile name comes back byte for byte, or is declined.
  public static let hostileFolders = CheckID("hostileFolders")
  /// Names that the naming rules forbid are declined.
  public static let namingRules = CheckID("namingRules")
  /// Similar names stay apart where the rules tell them apart; where not, one is declined.
  public static let similarNames = CheckID("similarNames")
  /// A lookup never answers for another name.
  public static let exactLookup = CheckID("exactLookup")
  /// A missing root is reported as missing, or the root always exists.
  public static let missingRoot = CheckID("missingRoot")
  /// Creating the root again leaves the files alone.
  public static let repeatedRoot = CheckID("repeatedRoot")
  /// The marker is written and read by name, and never listed.
  public static let marker = CheckID("marker")
  /// An unreachable place is never taken for an empty one.
  public static let unreachable = CheckID("unreachable")
  /// No address, error or refusal contains a secret.
  public static let secrets = CheckID("secrets")
  /// Of many creations at once no more than one is done.
  public static let createRace = CheckID("createRace")
  /// Of many writes on one revision no more than one is done.
  public static let writeRace = CheckID("writeRace")
  /// Of writes and removals at once no more than one is done.
  public static let removalRace = CheckID("removalRace")
  /// Writes to different paths at once are all done.
  public static let parallelWrites = CheckID("parallelWrites")
  /// A reader sees the old content or the new, and never a part.
  public static let wholeReads = CheckID("wholeReads")
  /// A read returns the revision that the content belongs to.
  public static let readRevision = CheckID("readRevision")
  /// What is missing is absent, in a missing folder and below a file too.
  public static let absence = CheckID("absence")
  /// A folder is not a file.
  public static let folderIsNoFile = CheckID("folderIsNoFile")
  /// Many reads have one result for each path, in order.
  public static let readBatch = CheckID("readBatch")
  /// A removal removes one file and no neighbour.
  public static let removal = CheckID("removal")
  /// A removal on a stale revision is refused and changes nothing.
  public static let staleRemoval = CheckID("staleRemoval")
  /// A removal of a missing file is refused and changes nothing.
  public static let repeatedRemoval = CheckID("repeatedRemoval")
  /// A folder that became empty is not listed, and a file can have its name.
  public static let removesFolders = CheckID("removesFolders")
  /// A file that was removed can be created again.
  public static let recreation = CheckID("recreation")
  /// A write, a listing and a lookup return the same revision.
  public static let sameRevision = CheckID("sameRevision")
  /// A revision changes with the content, or is not called firm.
  public static let firmRevision = CheckID("firmRevision")
  /// A revision stays the same while there is no write.
  public static let stableRevision = CheckID("stableRevision")
  /// A digest that is returned without reading is right.
  public static let digest = CheckID("digest")
  /// A listing shows what another handle wrote, replaced and removed.
  public static let listingOfOthers = CheckID("listingOfOthers")
  /// A revision means the same to every handle.
  public static let sharedRevision = CheckID("sharedRevision")
  /// A write that another handle overtakes while its content is read is refused.
  public static let overtakenWrite = CheckID("overtakenWrite")
  /// A creation that another handle overtakes while its content is read is refused.
  public static let overtakenCreation = CheckID("overtakenCreation")
  /// Writes of two handles to different paths are all done.
  public static let handlesAtOnce = CheckID("handlesAtOnce")
  /// A written file is there with its content.
  public static let write = CheckID("write")
  /// A write on the current revision replaces the file.
  public static let replacement = CheckID("replacement")
  /// A creation of an existing file is refused and changes nothing.
  public static let createExisting = CheckID("createExisting")
  /// A write on a stale revision is refused and changes nothing.
  public static let staleWrite = CheckID("staleWrite")
  /// A write on a file that is gone is refused and creates nothing.
  public static let writeAfterRemoval = CheckID("writeAfterRemoval")
  /// A write that is repeated after its answer was lost changes nothing.
  public static let repeatedWrite = CheckID("repeatedWrite")
  /// A file may be empty.
  public static let emptyFile = CheckID("emptyFile")
  /// A file may be one byte long, whichever byte it is.
  public static let oneByteFile = CheckID("oneByteFile")
  /// A file of several mebibytes comes back unaltered.
  public static let largeFile = CheckID("largeFile")
  /// A file is not replaced by a folder of its name, nor a folder by a file.
  public static let fileOrFolder = CheckID("fileOrFolder")
  /// A batch has one result for each change, in order.
  public static let batch = CheckID("batch")
  /// A batch can put a folder where a file was.
  public static let folderForFile = CheckID("folderForFile")
}
