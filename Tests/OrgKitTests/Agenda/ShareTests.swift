import OrgKit
import Testing

/// Entries as text for other programs.
@Suite("Sharing") struct ShareTests {
  private static let trip = """
    * Other
    ** TODO Trip to /Vienna/ :home:
    SCHEDULED: <2026-03-12 Thu 10:00>
    :PROPERTIES:
    :ID:       e1
    :END:
    :LOGBOOK:
    - Note taken on [2026-03-10 Tue 14:30]
    :END:
    Take the [[https://example.org/a_b][list]], *please* & ~x_y~.
    1. socks
       - [ ] grey
    2. [X] shirt
    #+begin_src sh
    echo "*no*"
    #+end_src
    | a | b |
    |---+---|
    | x | 1 |
    #+begin_quote
    # left out
    Wise <words>.
    #+end_quote
    *** Hotel
    # a comment

    """

  private func share(_ format: OrgShare.Format, meta: Bool = false) throws -> String {
    let entry = try #require(OrgDocument(Self.trip).entry(path: ["Other", "Trip to /Vienna/"]))
    return OrgShare(as: format, hasMetaData: meta).text(of: entry)
  }

  @Test("plain text keeps markup and puts the target of a link behind it")
  func text() throws {
    #expect(
      try share(.text, meta: true) == """
        TODO Trip to /Vienna/ (home)
        ============================

        Scheduled: 2026-03-12 Thu 10:00

        Take the list <https://example.org/a_b>, *please* & x_y.

        1. socks
           - [ ] grey
        2. [X] shirt

            echo "*no*"

         a  b 
        ------
         x  1 

          Wise <words>.

        Hotel
        -----

        """)
  }

  @Test("Markdown has links, task lists, tables and fences")
  func markdown() throws {
    #expect(
      try share(.markdown) == """
        # Trip to *Vienna*

        Take the [list](https://example.org/a_b), **please** & `x_y`.

        1. socks
           - [ ] grey
        2. [x] shirt

        ```sh
        echo "*no*"
        ```

        | a | b |
        | --- | --- |
        | x | 1 |

        > Wise \\<words\\>.

        ## Hotel

        """)
  }

  @Test("HTML escapes text, and only safe schemes are links")
  func html() throws {
    let html = try share(.html)
    #expect(
      html.hasPrefix("<h1>Trip to <i>Vienna</i></h1>\n<p>\nTake the <a href=\"https://example.org/a_b\">list</a>"))
    #expect(html.contains("<b>please</b> &amp; <code>x_y</code>") && html.contains("Wise &lt;words&gt;."))
    let entry = try #require(OrgDocument("* A\n[[javascript:alert(1)][x]] <script>\n").topLevelEntries.first)
    #expect(OrgShare(as: .html).text(of: entry) == "<h1>A</h1>\n<p>\nx &lt;script&gt;\n</p>\n")
  }

  @Test("Org text begins at the top level")
  func org() throws {
    let text = try share(.org)
    #expect(text.hasPrefix("* TODO Trip to /Vienna/ :home:\nSCHEDULED:") && text.contains("\n** Hotel\n"))
  }
}
