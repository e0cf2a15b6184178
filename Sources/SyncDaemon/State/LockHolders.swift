import ArchiveSQLite
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processes that took the locks of files, as the kernel lists them.
enum LockHolders {
  /// Returns true if the processes that locked the file have ended, or are not visible to this one. Always false on systems that
  /// do not list locks.
  static func haveEnded(_ file: StateFile) -> Bool {
    var facts = stat()
    guard unsafe fstat(file.descriptor, &facts) == 0,
      let bytes = try? StateFile("/proc/locks", O_RDONLY).read(atMost: 1 << 20, from: 0)
    else {
      return false
    }
    let holders = pids(in: String(decoding: bytes, as: UTF8.self), lockingInode: UInt64(facts.st_ino))
    return !holders.contains(where: ProcessState.isRunning)
  }

  /// Returns the processes with a lock of the kind of `flock` on the file with this number, on any file system.
  ///
  /// A line has the form `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`; that of a process that waits has `->` after the number.
  static func pids(in list: String, lockingInode inode: UInt64) -> [pid_t] {
    list.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode
      else { return nil }
      return pid_t(words[4])
    }
  }
}

/// The states of processes.
enum ProcessState {
  /// Returns false if the process has ended, even if its parent has not asked for its result yet.
  static func isRunning(_ pid: pid_t) -> Bool {
    guard pid > 0, kill(pid, 0) == 0 || errno == EPERM else { return false }
    // The state follows the name, which is in parentheses and may contain any character.
    let bytes = try? StateFile("/proc/\(pid)/stat", O_RDONLY).read(atMost: 4_096)
    guard let bytes, let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.count else { return true }
    return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(bytes[end + 2])
  }
}
