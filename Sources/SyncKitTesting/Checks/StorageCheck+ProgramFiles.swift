import SyncKit

extension StorageCheck {
  static let programFiles = [
    StorageCheck("the marker is written and read by name, and never listed") { checked in
      let marker = try await checked.create(ReservedName.marker, "id\n")
      try await checked.expect(ReservedName.marker, holds: "id\n")
      _ = try await checked.replace(marker, "id 2\n")
      try await checked.expect(ReservedName.marker, holds: "id 2\n")
      try await checked.create("a.org")
      try await checked.expectNames(["a.org"])
    },
    StorageCheck("temporaries are never listed") { checked in
      for name in [".syncd-1.tmp", "a.org.syncd-x.tmp", "folder/.syncd-2.tmp", ".syncd-3.tmp/inside.org"] {
        // A storage may decline the name; whether it is listed is what counts.
        _ = try await checked.write("half\n", to: name, if: .absent)
      }
      try await checked.create("a.org")
      try await checked.expectNames(["a.org"])
    },
  ]
}
