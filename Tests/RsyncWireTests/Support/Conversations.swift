import RsyncWire

/// The result of an exchange in which files were fetched.
struct Fetched {
  var list: FileList
  var contents: [Int: [UInt8]] = [:]
  var missing: Set<Int> = []
  var hasErrors = false
}

/// Fetches files like a client: everything that is wanted, then a retry for those with the wrong checksum.
func fetch(
  _ stream: any ByteStream, _ scope: Reading.Scope = .everything, wanting wanted: [Int: [UInt8]] = [:],
  releasing released: [Int] = [], onlyLists: Bool = false
) throws(RsyncError) -> Fetched {
  let reading = try Reading(stream, scope, onlyLists: onlyLists)
  var fetched = Fetched(list: reading.list)
  var failed: [Int] = []
  for index in wanted.keys.sorted() where reading.list.files.indices.contains(index) {
    try reading.request(index, basis: sums(of: wanted[index] ?? [], reading.strongSum))
  }
  try receive(reading, wanted, &fetched) { failed.append($0) }
  for index in released { try reading.release(index) }
  if !wanted.isEmpty {
    try reading.endPhase()
    for index in failed { try reading.request(index) }
    try receive(reading, [:], &fetched) { _ in }
  }
  try reading.finish()
  fetched.hasErrors = reading.hasErrors
  return fetched
}

private func receive(
  _ reading: Reading, _ basis: [Int: [UInt8]], _ fetched: inout Fetched, _ failed: (Int) -> Void
) throws(RsyncError) {
  while let answer = try reading.answer() {
    guard case .file(let index) = answer else {
      if case .missing(let index) = answer { fetched.missing.insert(index) }
      continue
    }
    var assembly = Assembly(basis: basis[index] ?? [])
    var content: [UInt8] = []
    while true {
      let piece = try reading.piece()
      content += try assembly.bytes(piece)
      guard case .end(let hash) = piece else { continue }
      if hash == assembly.digest { fetched.contents[index] = content } else { failed(index) }
      break
    }
  }
}

func sums(of content: [UInt8], _ strong: StrongSum) -> BlockSums {
  sums(of: content, SumHead(forSize: content.count), strong) ?? .none
}

func sums(of content: [UInt8], _ head: SumHead, _ strong: StrongSum) -> BlockSums? {
  var builder = SumBuilder(head, strong)
  builder.add(content)
  return builder.finish()
}

func md5(_ bytes: [UInt8]) -> [UInt8] {
  var hash = FileHash()
  hash.add(bytes)
  return hash.finish()
}

/// A file that a client sends, and the version that it expects on the server; nil if none.
struct Sent {
  var file: SentFile
  var content: [UInt8] = []
  var base: [UInt8]?

  init(_ name: String, _ content: [UInt8], over base: [UInt8]?) {
    file = SentFile(
      name: Array(name.utf8), kind: .file, size: Int64(content.count), seconds: 1_700_000_500, nanoseconds: 7,
      hash: md5(content))
    self.content = content
    self.base = base
  }

  init(folder name: String, isNew: Bool) {
    file = SentFile(name: Array(name.utf8), kind: isNew ? .newFolder : .folder, seconds: 1_700_000_500, nanoseconds: 7)
  }
}

/// The results of an exchange in which files were sent, by name.
struct Delivery {
  var refused: [String] = []
  var sent: [String] = []
  var unchanged: [String] = []
  var landed: [String] = []
}

/// Sends files like a client that overwrites nothing unseen.
func deliver(_ stream: any ByteStream, _ sent: [Sent]) throws(RsyncError) -> Delivery {
  let sending = try Sending(stream, sent.map(\.file))
  let byName = Dictionary(uniqueKeysWithValues: sent.map { ($0.file.name, $0) })
  var delivery = Delivery()
  func name(_ index: Int) -> String { String(decoding: sending.files[index].name, as: UTF8.self) }
  while let event = try sending.next() {
    switch event {
    case .landed(let index): delivery.landed.append(name(index))
    case .unchanged(let index): delivery.unchanged.append(name(index))
    case .request(let request):
      guard let sent = byName[sending.files[request.index].name], accepts(request, sent, sending.strongSum) else {
        try sending.refuse(request)
        delivery.refused.append(name(request.index))
        continue
      }
      try sending.begin(request)
      var delta = Delta(against: request.sums, sending.strongSum)
      for part in delta.add(sent.content) + delta.finish() { try sending.send(part) }
      try sending.end(hash: md5(sent.content))
      delivery.sent.append(name(request.index))
    }
  }
  try sending.finish()
  return delivery
}

private func accepts(_ request: Sending.Request, _ sent: Sent, _ strong: StrongSum) -> Bool {
  guard !request.isRepeated else { return false }
  guard let base = sent.base else { return request.isNew }
  return !request.isNew && sums(of: base, request.sums.head, strong) == request.sums
}
