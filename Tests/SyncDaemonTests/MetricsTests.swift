import CoreMetrics
import SyncKit
import Testing

@testable import SyncDaemon

/// The metrics as text, and the permissions to read them.
@Suite("Metrics") struct MetricsTests {
  @Test("numbers are printed in a form that Go parses", arguments: [(1.0, "1"), (0.5, "0.5"), (1e300, "1e+300")])
  func numbers(number: Double, text: String) { #expect(PrometheusText.number(number) == text) }

  @Test("infinities and NaN have names")
  func noNumbers() {
    #expect([Double.infinity, -.infinity, .nan].map(PrometheusText.number) == ["+Inf", "-Inf", "NaN"])
  }

  @Test("labels are escaped, and invalid names are adapted")
  func labels() {
    #expect(PrometheusText.labels([("a.b", "c\"d\\e\nf")]) == #"a_b="c\"d\\e\nf""#)
    #expect(PrometheusText.name("9 lives") == "_9_lives")
  }

  @Test("equal names and labels are one series, whichever part requests it")
  func series() {
    let exporter = Exporter()
    for _ in 0..<3 { Counter(label: "x.total", dimensions: [("a", "1")], factory: exporter).increment(by: 2) }
    Meter(label: "y", factory: exporter).set(7)
    Gauge(label: "z", factory: exporter).record(0.5)
    // A metric of another kind than the known one is dropped without harm.
    Meter(label: "x.total", factory: exporter).set(100)
    for line in ["# TYPE x_total counter\nx_total{a=\"1\"} 6\n", "# TYPE y gauge\ny 7\n", "z 0.5\n"] {
      #expect(exporter.text.contains(line), "\(exporter.text)")
    }
  }

  @Test("each bucket of a histogram counts the values up to its limit")
  func histogram() {
    let exporter = Exporter()
    let timer = Timer(label: "t", dimensions: [("remote", "home")], factory: exporter)
    for seconds in [0.01, 0.2, 1_000] { timer.recordSeconds(seconds) }
    for line in [
      #"t_bucket{remote="home",le="0.01"} 1"#, #"t_bucket{remote="home",le="0.5"} 2"#,
      #"t_bucket{remote="home",le="300"} 2"#, #"t_bucket{remote="home",le="+Inf"} 3"#,
      #"t_sum{remote="home"} 1000.21"#, #"t_count{remote="home"} 3"#,
    ] { #expect(exporter.text.contains("\n\(line)\n"), "\(exporter.text)") }
  }

  @Test("series of removed remotes and destroyed metrics disappear")
  func forgetting() {
    let exporter = Exporter()
    for remote in ["home", "gone"] { Meter(label: "m", dimensions: [("remote", remote)], factory: exporter).set(1) }
    for replica in ["store", "gone"] { Meter(label: "n", dimensions: [("replica", replica)], factory: exporter).set(1) }
    let counter = Counter(label: "c", factory: exporter)
    exporter.keep(remotes: ["home"], stores: ["store"])
    #expect(exporter.text.contains("m{remote=\"home\"} 1\n") && exporter.text.contains("n{replica=\"store\"} 1\n"))
    #expect(!exporter.text.contains("gone"))
    counter.destroy()
    #expect(!exporter.text.contains("# TYPE c "))
  }

  @Test("a factory chosen by the host program receives the metrics of passes, with or without our own")
  func embedded() async throws {
    let theirs = Exporter()
    let ours = Exporter()
    for isOn in [false, true] {
      var settings = DaemonSettings()
      if isOn { settings.metricsPort = LoopbackAddress(port: 0) }
      try await withMetricsFactory(theirs) {
        try await ours.collect(settings) {
          PassMetrics.record(PassReport(remote: "home"), store: nil, lastSuccess: nil)
        }
      }
    }
    let sample = #"syncd_passes_total{remote="home",result="synced"} "#
    #expect(theirs.text.contains(sample + "2\n") && ours.text.contains(sample + "1\n"))
  }

  @Test("a failed pass counts its error, and reports no conflicts")
  func failure() {
    let exporter = Exporter()
    withMetricsFactory(exporter) {
      PassMetrics.record(
        PassReport(remote: "home", failure: SyncError(.unavailable, "away")), store: nil, lastSuccess: nil)
    }
    for line in [#"syncd_up{remote="home"} 0"#, #"syncd_errors_total{remote="home",code="unavailable"} 1"#] {
      #expect(exporter.text.contains("\n\(line)\n"), "\(exporter.text)")
    }
    #expect(!exporter.text.contains("syncd_open_conflicts") && !exporter.text.contains("last_success"))
  }

  @Test(
    "requests are parsed and answered",
    arguments: [
      ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9780", "200 OK"), ("GET /metrics HTTP/1.0", "200 OK"),
      ("GET /metrics?x=1 HTTP/1.1\r\nhost:localhost", "200 OK"),
      ("GET /metrics HTTP/1.1\r\nHost: [::1]:9780", "200 OK"),
      ("GET /metrics HTTP/1.1\r\nHost: [::1]", "200 OK"), ("GET /health HTTP/1.1\r\nHost: 127.0.0.1", "200 OK"),
      ("HEAD /metrics HTTP/1.1\r\nHost: localhost:1", "200 OK"), ("GET / HTTP/1.1\r\nHost: localhost", "404 Not Found"),
      ("POST /metrics HTTP/1.1\r\nHost: localhost", "405 Method Not Allowed"),
      ("GET /metrics HTTP/1.1\r\nHost: evil.example:9780", "403 Forbidden"),
      ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example", "403 Forbidden"), ("GET /metrics", "400 Bad Request"),
      ("", "400 Bad Request"), ("GET /metrics SMTP/1.1", "400 Bad Request"),
    ])
  func answers(head: String, status: String) {
    let answer = String(decoding: MetricsAnswer.bytes(to: head) { "x 1\n" }, as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer)")
    #expect(answer.contains("\r\nConnection: close\r\n"))
    let isFull = head.hasPrefix("GET /metrics") && status == "200 OK"
    #expect(answer.hasSuffix("\r\n\r\nx 1\n") == isFull, "\(answer)")
    #expect(answer.hasSuffix("\r\n\r\n") == head.hasPrefix("HEAD"), "\(answer)")
  }

  @Test(
    "loopback addresses are accepted",
    arguments: ["9780", "0", "65535", "127.0.0.1:1", "127.1.2.3:9780", "[::1]:9780"])
  func loopback(text: String) throws {
    let address = try #require(LoopbackAddress(text: text))
    #expect(address.text == (text.contains(":") ? text : "127.0.0.1:" + text))
  }

  @Test(
    "other addresses are refused",
    arguments: [
      "", "65536", "-1", "+1", "080", "0.0.0.0:1", "192.168.0.1:1", "128.0.0.1:1", "127.0.0.256:1", "127.1:1",
      "127.0.0.01:1",
      "127.0.0.1", "localhost:1", "[::]:1", "[::ffff:127.0.0.1]:1", "::1:1", "127.0.0.1:", ":1", "127.0.0.1.:1",
    ])
  func reachable(text: String) { #expect(LoopbackAddress(text: text) == nil) }
}
