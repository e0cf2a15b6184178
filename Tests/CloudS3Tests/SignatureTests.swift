import CurlHTTP
import HTTPStorage
import SyncKit
import Testing

@testable import CloudS3

/// The vectors of AWS's documentation, and others that botocore's signer confirmed.
@Suite struct SignatureTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var method = "GET"
    var path: String
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body = ""
    var payload: String?
    var signature: String

    var testDescription: String { "\(method) \(path)" }
  }

  static let vectors = [
    Vector(
      path: "/test.txt", headers: [("Range", "bytes=0-9")],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Vector(
      method: "PUT", path: "/test$file.text",
      headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      body: "Welcome to Amazon S3.", signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Vector(
      path: "/", query: [("lifecycle", "")],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Vector(
      path: "/", query: [("prefix", "J"), ("max-keys", "2")],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    Vector(
      method: "PUT", path: "/a b/\u{E9}\u{2615}.org", headers: [("If-Match", "\"9dd4e461268c8034f5c8564e155c67a6\"")],
      payload: "UNSIGNED-PAYLOAD", signature: "cc81dd8748a784f87503fd906ded5cb42cef539bbdf3abd81010634fd475eec0"),
    Vector(
      method: "PUT", path: "/~(!*')=&+;,@$:", headers: [("If-None-Match", "*")], body: "hello",
      signature: "c4c1c0544ce25f76967d27738872fb685741acfe4becb13543f81812f9741f62"),
    Vector(
      path: "/", query: [("list-type", "2"), ("prefix", "ann/\u{E9} x"), ("start-after", "ann/\u{E9} x/+")],
      signature: "111e165e749cbea8af0e08ea84fdd0f143eedf61a7b75bf0a650a595e81a8c6b"),
    Vector(
      method: "DELETE", path: "/a//b/../%2F", query: [("versionId", "3/x")],
      signature: "9701723b517b22397fa229bfb04fbc9437e0bd8f7ff3e810cec8538aa5a68908"),
  ]

  private static let keys = AccessKeys(
    id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

  @Test("a request is signed as by AWS", arguments: vectors)
  func vector(_ vector: Vector) {
    let payload = vector.payload ?? Digest(of: Array(vector.body.utf8)).description
    let headers =
      vector.headers + [
        ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", payload),
        ("x-amz-date", "20130524T000000Z"),
      ]
    let parts = SignedParts(
      method: vector.method, path: PercentCoding.encoded(vector.path.utf8, keepsSlashes: true),
      query: vector.query.map { ($0.0, Array($0.1.utf8)) }, headers: headers.map { HTTPHeader($0.0, $0.1) },
      payload: payload)
    let header = Signature(keys: Self.keys, region: "us-east-1").authorization(
      for: parts, at: SigningTime(Timestamp(seconds: 1_369_353_600)))
    #expect(header.value.hasSuffix("Signature=\(vector.signature)"), "\(header.value)")
    #expect(header.value.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"))
  }

  @Test("a request is signed in its query as in AWS's example")
  func query() {
    let parts = SignedParts(
      method: "GET", path: "/test.txt", headers: [HTTPHeader("Host", "examplebucket.s3.amazonaws.com")], payload: "")
    let query = Signature(keys: Self.keys, region: "us-east-1").query(
      for: parts, at: SigningTime(Timestamp(seconds: 1_369_353_600)), expiringAfter: 86_400)
    #expect(query.hasSuffix("X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
  }

  @Test("keys and signatures show no secret")
  func secrets() {
    #expect("\(Self.keys)" == "<secret>" && Mirror(reflecting: Self.keys).children.isEmpty)
  }
}
