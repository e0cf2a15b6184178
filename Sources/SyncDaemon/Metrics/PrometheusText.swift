/// Prometheus' text format, version 0.0.4: "Exposition formats" in its documentation. Pure.
enum PrometheusText {
  /// The media type of the format.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Returns the lines of one family; the labels of its series are in the form of `labels`.
  static func family(_ name: String, type: String, help: String?, _ series: [(labels: String, samples: [Sample])])
    -> String
  {
    let head = (help.map { "# HELP \(name) \(escaped($0))\n" } ?? "") + "# TYPE \(name) \(type)\n"
    return head + series.flatMap { series in series.samples.map { line(name, series.labels, $0) } }.joined()
  }

  private static func line(_ name: String, _ common: String, _ sample: Sample) -> String {
    let own = sample.label.map { labels([$0]) } ?? ""
    let all = [common, own].filter { !$0.isEmpty }.joined(separator: ",")
    return "\(name)\(sample.suffix)\(all.isEmpty ? "" : "{\(all)}") \(number(sample.number))\n"
  }

  /// Returns the labels without the braces around them.
  static func labels(_ labels: [(name: String, value: String)]) -> String {
    labels.map { "\(name($0.name))=\"\(escaped($0.value).replacing("\"", with: "\\\""))\"" }.joined(separator: ",")
  }

  /// Returns a name with invalid characters replaced; swift-metrics allows any, and dots are common.
  static func name(_ text: String) -> String {
    let name = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" })
    return name.first?.isNumber == true ? "_" + name : name
  }

  /// Returns a number in Go's syntax.
  static func number(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: number).map(String.init) ?? "\(number)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
