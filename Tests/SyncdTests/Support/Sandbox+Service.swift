import Foundation
import ProgramTesting
import Testing

extension Sandbox {
  /// The answers of the service to these requests, which are sent over one connection to its control socket.
  func ask(_ requests: [String]) throws -> [[String: Any]] {
    let script = """
      import socket, sys, time
      s = socket.socket(socket.AF_UNIX)
      # The service binds its socket before it listens.
      for attempt in range(600):
        try: s.connect(sys.argv[1]); break
        except (ConnectionRefusedError, FileNotFoundError): time.sleep(0.1)
      f = s.makefile("rw")
      for line in sys.argv[2:]:
        f.write(line + "\\n"); f.flush(); print(f.readline(), end="")
      """
    let outcome = try Command(["python3", "-c", script, path("state/control")] + requests).run()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    return try outcome.text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }
}
