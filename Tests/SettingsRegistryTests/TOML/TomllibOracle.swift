import Foundation
import ProgramTesting

/// The results of Python's `tomllib` for documents. One child process parses many.
enum TomllibOracle {
  /// True if a Python with it is installed (3.11 or later).
  static let isThere = (try? run("import tomllib", on: [])) != nil

  /// The canonical text of each document; nil for rejected ones.
  static func answers(_ documents: [[UInt8]]) throws -> [String?] {
    let lines = try run(script, on: documents).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast().map { $0 == "refused" ? nil : String($0) }
  }

  private static func run(_ script: String, on documents: [[UInt8]]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tomllib-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "input")
    try Data(documents.map { $0.map { String($0, radix: 16) }.joined(separator: " ") + "\n" }.joined().utf8).write(
      to: input)
    let lines = try FileHandle(forReadingFrom: input)
    var command = Command(["python3", "-c", script])
    command.input = lines.fileDescriptor
    return try withExtendedLifetime(lines) { try command.succeed().text }
  }

  private static let script = """
    import datetime, io, math, struct, sys, tomllib

    def text(value):
        if isinstance(value, dict):
            return "{" + ",".join(sorted(k.encode().hex() + "=" + text(v) for k, v in value.items())) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(text, value)) + "]"
        if isinstance(value, bool):
            return "b:" + str(value).lower()
        if isinstance(value, int):
            return "i:" + str(value)
        if isinstance(value, float):
            return "f:nan" if math.isnan(value) else "f:%x" % struct.unpack(">Q", struct.pack(">d", value))
        if isinstance(value, str):
            return "s:" + value.encode().hex()
        day = time = minutes = ""
        if isinstance(value, datetime.date):
            day = f"{value.year} {value.month} {value.day}"
        if isinstance(value, (datetime.datetime, datetime.time)):
            time = f"{value.hour} {value.minute} {value.second} {value.microsecond}"
            if value.tzinfo is not None:
                minutes = str(value.utcoffset() // datetime.timedelta(minutes=1))
        return f"t:{day}/{time}/{minutes}"

    for line in sys.stdin:
        document = bytes(int(byte, 16) for byte in line.split())
        try:
            print(text(tomllib.load(io.BytesIO(document))))
        except (ValueError, RecursionError):
            print("refused")
    """
}
