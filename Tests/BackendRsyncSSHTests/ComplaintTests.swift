import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("Error lines of rsync") struct ComplaintTests {
  @Test(
    "an error line has the path and the error number",
    arguments: [
      ("rsync: [sender] opendir \"/org/a (1)\" failed: Permission denied (13)", "/org/a (1)", 13),
      ("rsync: opendir \"/org/a\" failed: Keine Berechtigung (13)", "/org/a", 13),
      ("rsync: [sender] change_dir \"/org\" failed: No such file or directory (2)", "/org", 2),
      ("rsync: [sender] sender failed to remove notes (1).org: Permission denied (13)", "notes (1).org", 13),
      ("rsync: [sender] sender failed to remove x: y (1).org: Read-only file system (30)", "x: y (1).org", 30),
      ("rsync: [receiver] rename \"/org/.a.Xy12Zz\" -> \"a\": Operation not permitted (1)", "a", 1),
      ("rsync: [receiver] write failed on \"/org/a\": No space left on device (28)", "/org/a", 28),
      ("rsync: [generator] recv_generator: failed to stat \"/org/\\#303\\#244\": Not a directory (20)", "/org/ä", 20),
    ])
  func errors(line: String, path: String, errno: Int) {
    let complaint = Complaint(line)
    #expect(complaint?.path == path)
    #expect(complaint?.errno == errno)
  }

  @Test(
    "a name that looks like an error number is not one",
    arguments: [
      "Skipping sender remove for changed file: notes (1).org", "Skipping sender remove for changed file: x: y (13)",
      "ERROR: Skipping sender remove for changed file: notes (13).org", "file has vanished: \"/org/notes (2).org\"",
    ])
  func names(line: String) {
    #expect(Complaint(line) != nil)
    #expect(Complaint(line)?.errno == nil)
  }

  @Test(
    "other lines are not error lines",
    arguments: [
      "Welcome (1)", "rsync error: some files could not be transferred (code 23) at main.c(1886) [sender=3.5.0]",
      "rsync: connection unexpectedly closed (0 bytes received so far) [sender]", "ann: rsync: x \"y\": z (13)", "",
    ])
  func others(line: String) { #expect(Complaint(line) == nil) }

  @Test("an error line concerns the file or its temporary file")
  func concern() throws {
    let path = try #require(SyncPath("b/c.org"))
    for name in ["/org/b/c.org", "b/c.org", "/org/b/.c.org.Xy12Zz"] {
      #expect(Complaint("rsync: mkstemp \"\(name)\" failed: Permission denied (13)")?.concerns(path) == true)
    }
    for name in ["/org/b/c.org2", "/org/ab/c.org", "/org/b/.c.org.Xy12Z", "/org/.c.org.Xy12Zz"] {
      #expect(Complaint("rsync: mkstemp \"\(name)\" failed: Permission denied (13)")?.concerns(path) == false)
    }
  }

  /// The server reports that it skipped the file, whose name looks like an error number.
  @Test(
    "a file that rsync left because it had changed is a refusal, whatever its name",
    arguments: ["a.org", "notes (1).org"])
  func refusedRemoval(name: String) async throws {
    let folder = try await Folder()
    try folder.write("old\n", to: name)
    let path = try #require(SyncPath(name))
    let script = """
      for line; do :; done
      case "$line" in
      *--remove-source-files*--files-from*|*--files-from*--remove-source-files*)
        /bin/sh -c "$line"; status=$?
        [ -e '\(folder.path)/\(name)' ] || [ -e '\(folder.path)/done' ] || {
          echo 'newer text' >'\(folder.path)/\(name)'; : >'\(folder.path)/done'
          echo 'Skipping sender remove for changed file: \(name)' >&2; exit 23
        }
        exit $status ;;
      *) exec /bin/sh -c "$line" ;;
      esac
      """
    let storage = try await folder.storage { $0.ssh.sshCommand = ["/bin/sh", "-c", script, "ssh"] }
    guard case .present(let entry)? = try await storage.confirm([path]).first else {
      throw SyncError(.unexpected, "the file is not there")
    }
    let change = Change(path: path, content: nil, condition: .unchanged(entry.revision))
    let result = try #require(try await storage.commit([change]).first)
    guard case .refused(let found?) = result else { throw SyncError(.unexpected, "\(result)") }
    #expect(found.size == 11)
    #expect(folder.read(name) == "newer text\n")
  }
}
