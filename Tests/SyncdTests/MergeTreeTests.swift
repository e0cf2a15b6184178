import Foundation
import ProgramTesting
import Testing

/// `syncd merge-tree`: the same as `merge-file` for whole folders.
@Suite struct MergeTreeTests {
  private func merge(_ sandbox: Sandbox, out: String = "out") throws -> Outcome {
    try Command([Sandbox.binary, "merge-tree"] + ["base", "ours", "theirs", out].map { sandbox.path($0) }).run()
  }

  /// A shell in the sandbox, because names are bytes and a Swift string cannot contain invalid UTF-8.
  private func shell(_ sandbox: Sandbox, _ script: String) throws -> String {
    var command = Command(["bash", "-ec", script])
    command.folder = sandbox.root
    return try command.succeed().text
  }

  @Test("names are bytes, and permissions and links are copied")
  func everything() throws {
    let sandbox = try Sandbox(remotes: [])
    _ = try shell(
      sandbox,
      #"""
      a=$'caf\xe9.org' d=$'d\xff'
      for side in base ours theirs; do
        mkdir -p $side/$d; cd $side; printf '* A\n' >$a; printf 'x\n' >$d/x; printf 'run\n' >run; chmod 700 run
        ln -s nowhere link; ln -s gone old; cd ..
      done
      printf '* A\nours\n' >ours/$a; chmod 750 theirs/run; ln -sfn there theirs/link; rm ours/old
      """#)
    let outcome = try merge(sandbox)
    #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.story)")
    let seen = try shell(
      sandbox,
      #"cd out; cat $'caf\xe9.org' $'d\xff/x' run; stat -c %a run; readlink link; find . -mindepth 1 | wc -l"#)
    #expect(seen == "* A\nours\nx\nrun\n750\nthere\n5\n")
  }

  @Test("what cannot be copied is named with exit status 2, and nothing is written")
  func special() throws {
    let sandbox = try Sandbox(remotes: [])
    for side in ["base", "ours", "theirs"] { try sandbox.write("* A\n", to: "\(side)/a.org") }
    try Command(["mkfifo", sandbox.path("theirs/pipe")]).succeed()
    let outcome = try merge(sandbox)
    #expect(outcome.status == 2 && outcome.err.contains("pipe is not a file"), "\(outcome.story)")
    try sandbox.remove("theirs/pipe")
    for (side, target) in [("ours", "one"), ("theirs", "two")] {
      let link = sandbox.path("\(side)/link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    }
    let links = try merge(sandbox)
    #expect(links.status == 2 && links.err.contains("link is a symbolic link"), "\(links.story)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("out")))
  }

  @Test("OUT must be empty or missing, and anything else is an error", arguments: ["full", "file", "none/deep"])
  func out(name: String) throws {
    let sandbox = try Sandbox(remotes: [])
    for side in ["base", "ours", "theirs", "full"] { try sandbox.write("* A\n", to: "\(side)/a.org") }
    try sandbox.write("kept\n", to: "file")
    let outcome = try merge(sandbox, out: name)
    #expect(outcome.status == (name == "none/deep" ? 0 : 2), "\(outcome.story)")
    #expect(sandbox.read("full/a.org") == "* A\n" && sandbox.read("file") == "kept\n")
    #expect(try merge(sandbox, out: "file").err.contains("Not a directory"))
  }
}
