import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import SyncDaemon

#if canImport(Glibc)
  import Glibc
#endif

struct StateFolderTests {
  let scratch = ScratchFolder()

  private var folder: StateFolder { StateFolder(path: scratch.path + "/deep/er/syncd") }

  private func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as! Int
  }

  @Test func itIsCreatedWithItsParentsForItsOwnerOnly() throws {
    try folder.create()
    try folder.create()
    #expect(try mode(folder.path) == 0o700)
    #expect(try mode(scratch.path + "/deep") == 0o700)
  }

  @Test func itsFilesAreForItsOwnerOnly() async throws {
    let path = scratch.path + "/shared"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    unsafe chmod(path, 0o755)
    let archive = try SQLiteArchive.open(in: path).get()
    _ = try await archive.intake(keepingAtMost: .max).receive(Array(repeating: 1, count: 500_000))
    var record = Record(remote: "home")
    record.agreements = [
      Agreement(path: SyncPath("a.org")!, digest: Digest(of: []), local: Revision("1"), remote: Revision("1"))
    ]
    try await archive.record(record)
    let lock = try InstanceLock(StateFolder(path: path), store: scratch.path)
    _ = try StateFolder(path: path).makeDevice()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      #expect(try mode(path + "/" + name) & 0o077 == 0, "\(name)")
    }
    withExtendedLifetime(lock) {}
  }

  @Test("a state folder that other users can write to is refused", arguments: [0o777, 0o770, 0o702])
  func writable(mode: Int) throws {
    try folder.create()
    unsafe chmod(folder.path, mode_t(mode))
    #expect { try folder.create() } throws: { "\($0)".contains("other users can write to") }
    unsafe chmod(folder.path, 0o755)
    try folder.create()
  }

  @Test(
    "no file in a state folder is created through a link",
    arguments: ["lock", "device.tmp", "pending/home", "archive.sqlite"])
  func links(name: String) throws {
    try folder.create()
    try FileManager.default.createDirectory(atPath: folder.path + "/pending", withIntermediateDirectories: true)
    let target = scratch.path + "/target"
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
    #expect { try make(name) } throws: { "\($0)".contains("\(name) is a symbolic link") }
    #expect(!FileManager.default.fileExists(atPath: target))
    try FileManager.default.removeItem(atPath: folder.path + "/" + name)
    try make(name)
  }

  private func make(_ name: String) throws {
    switch name {
    case "lock": _ = try InstanceLock(folder, store: scratch.path)
    case "device.tmp": _ = try folder.makeDevice()
    case "archive.sqlite": _ = try SQLiteArchive.open(in: folder.path).get()
    default: try folder.recordPending(["a.org: x"], of: "home")
    }
  }

  @Test func theErrorForAFileInItsPlaceNamesIt() throws {
    let path = scratch.path + "/file"
    try Data().write(to: URL(filePath: path))
    for bad in [path, path + "/below"] {
      let error = #expect(throws: SyncError.self) { try StateFolder(path: bad).create() }
      #expect(error?.message.contains(path) == true)
    }
  }

  @Test func theDeviceKeepsItsID() throws {
    try folder.create()
    #expect(folder.device() == nil)
    let device = try folder.makeDevice()
    #expect(device.id.count == 16)
    #expect(device.name.allSatisfy { $0.isLetter || $0.isNumber } && !device.name.isEmpty)
    #expect(try folder.makeDevice() == device && folder.device() == device)
    try Data("".utf8).write(to: URL(filePath: folder.path + "/device"))
    #expect(folder.device() == nil)
    #expect(try folder.makeDevice().id != device.id)
  }

  @Test func aStatusHasTheLastSuccessAndTheFailureSince() throws {
    try folder.create()
    let times = (0..<5).map { Timestamp(nanoseconds: 1_700_000_000_000_000_000 + $0 * 1_000_000_001) }
    #expect(folder.status(of: "home") == RemoteStatus())
    try folder.recordSuccess(of: "home", at: times[0])
    try folder.recordSuccess(of: "home", at: times[1])
    #expect(folder.status(of: "home") == RemoteStatus(lastSuccess: times[1]))
    let error = SyncError(.unavailable, "the server\nis busy")
    try folder.recordFailure(error, of: "home", at: times[2])
    try folder.recordFailure(error, of: "home", at: times[3])
    let failure = RemoteStatus.Failure(code: .unavailable, message: error.message, since: times[2])
    #expect(folder.status(of: "home") == RemoteStatus(lastSuccess: times[1], failure: failure))
    try folder.recordFailure(SyncError(.unauthorized, "no"), of: "home", at: times[3])
    #expect(folder.status(of: "home").failure?.since == times[3])
    try folder.recordSuccess(of: "home", at: times[4])
    #expect(folder.status(of: "home") == RemoteStatus(lastSuccess: times[4]))
    #expect(folder.status(of: "work") == RemoteStatus())
  }
}

struct StateLockTests {
  let scratch = ScratchFolder()

  private func folder(_ name: String) throws -> StateFolder {
    let folder = StateFolder(path: scratch.path + "/" + name)
    try folder.create()
    return folder
  }

  @Test func theErrorForASecondInstanceNamesTheFirst() throws {
    let first = try InstanceLock(folder("state"), store: scratch.path)
    let error = #expect(throws: SyncError.self) { try InstanceLock(folder("state"), store: scratch.path) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("another syncd (pid \(getpid()))") == true)
    withExtendedLifetime(first) {}
  }

  @Test func twoStateFoldersCannotShareAStore() throws {
    let first = try InstanceLock(folder("state"), store: scratch.path)
    let error = #expect(throws: SyncError.self) { try InstanceLock(folder("other"), store: scratch.path) }
    #expect(error?.code == .locked && error?.message.contains(scratch.path) == true)
    withExtendedLifetime(first) {}
  }

  @Test func theLockEndsWithItsOwner() throws {
    for _ in 0..<3 { _ = try InstanceLock(folder("state"), store: scratch.path) }
  }

  @Test func aMissingStoreIsNotLocked() throws {
    _ = try InstanceLock(folder("state"), store: scratch.path + "/none")
  }

  @Test func noChildInheritsTheLock() throws {
    var lock: InstanceLock? = try InstanceLock(folder("state"), store: scratch.path)
    let child = Process()
    child.executableURL = URL(filePath: "/bin/sleep")
    child.arguments = ["5"]
    try child.run()
    defer { child.terminate() }
    #expect(lock != nil)
    lock = nil
    _ = try InstanceLock(folder("state"), store: scratch.path)
  }

  /// A child that a process starts has copies of its descriptors until it runs its program.
  @Test("a lock that only a child of its ended owner has is waited for", arguments: ["state", "other"])
  func leftOver(name: String) throws {
    let owner = """
      import fcntl, os, socket, sys, time
      lock, store, end = sys.argv[1:]
      files = [open(lock, "w"), os.open(store, os.O_RDONLY)]
      for file in files: fcntl.flock(file, fcntl.LOCK_EX)
      files[0].write(f"{os.getpid()}\\n{socket.gethostname()}\\nboot\\n0\\n")
      files[0].flush()
      if os.fork() == 0:
          for _ in range(3000):
              if os.path.exists(end): break
              time.sleep(0.02)
          os._exit(0)
      """
    let end = scratch.path + "/end"
    _ = try Command(["python3", "-c", owner, folder("state").path + "/lock", scratch.path, end]).succeed()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) {
      _ = FileManager.default.createFile(atPath: end, contents: nil)
    }
    _ = try InstanceLock(folder(name), store: scratch.path)
    #expect(FileManager.default.fileExists(atPath: end))
  }

  /// A service releases the lock for a command while it may be starting programs.
  @Test("a lock that is released is free although copies of its descriptors exist") func copies() throws {
    var lock: InstanceLock? = try InstanceLock(folder("state"), store: scratch.path)
    #expect(lock != nil)
    let places = [scratch.path, try folder("state").path + "/lock"].map {
      URL(filePath: $0).resolvingSymlinksInPath().path
    }
    let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name -> Int32? in
      let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
      return place.map(places.contains) == true ? Int32(name).map { dup($0) } : nil
    }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count >= 2)
    lock = nil
    _ = try InstanceLock(folder("state"), store: scratch.path)
  }

  @Test("the holders of a lock are read from the kernel's list") func holders() {
    let list = """
      1: POSIX  ADVISORY  READ 11 08:01:500 128 128
      2: FLOCK  ADVISORY  WRITE 12 08:01:500 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 13 08:01:500 0 EOF
      3: FLOCK  ADVISORY  WRITE 14 08:01:501 0 EOF
      4: FLOCK
      """
    #expect(LockHolders.pids(in: list, lockingInode: 500) == [12])
  }

  @Test func theErrorForALockFileThatCannotBeCreatedNamesIt() throws {
    let folder = try folder("state")
    try FileManager.default.createDirectory(atPath: folder.path + "/lock", withIntermediateDirectories: false)
    let error = #expect(throws: SyncError.self) { try InstanceLock(folder, store: scratch.path) }
    #expect(error?.message.contains("lock") == true && error?.code != .locked)
  }
}
