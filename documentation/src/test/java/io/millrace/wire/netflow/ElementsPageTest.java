package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.InformationElements.Element;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of the elements is the table in the code. */
class ElementsPageTest {
  private static final String HEAD =
      """
      # Elements of NetFlow and IPFIX

      Which [information elements](https://www.iana.org/assignments/ipfix/ipfix.xhtml) fill which column of [`flows`](tables.md#flows). Elements of
      vendors have their private enterprise number before them; NetFlow version 9 has no such numbers, and Cisco writes its elements there as 32,768 more
      (12236 as 45004).

      Where a record has several elements of one column, the first of its line takes precedence whose value is usable. Not usable are 0 and empty
      addresses, VLAN 4095, counts beyond [the bounds](rejects.md), and times before 1990 or more than a day after the export. Flags are or-ed. Totals since the flow began never replace
      counts since the previous record.

      A record that counts both directions is one row each way: by the reverse elements of RFC 5103 (enterprise 29305), by `responderOctets` (232) and
      `responderPackets` (299), by Cisco's `serverBytesNetwork` (9/8337), and by CERT's reverse flags. Its first row is then the initiator's: of `initiatorOctets`, `initiatorPackets`
      and Cisco's client and server where the record has them.

      | Column | Elements, by precedence |
      | --- | --- |
      """;

  private static final String TAIL =
      """

      Where a record does not say the protocol, elements of one protocol imply it: ports of TCP (182, 183) or UDP (180, 181) that are not 0, and
      type and code of ICMP (32, 176, 177: protocol 1; 139, 178, 179: protocol 58). They are in `src_port` and `dst_port`.
      `ipDiffServCodePoint` is shifted by 2 bits and `ipPrecedence` by 5, to be a type of service. `flowDurationMilliseconds` (161) and `flowDurationMicroseconds` (162) make the end of a flow of its start, or its start of
      its end. `app_id` is a number: engine × 2²⁴ + selector; with the enterprise of engine 20 (RFC 6759), 20 × 2⁵⁶ + enterprise × 2³² + selector; other selectors of more than three bytes, engine × 2⁵⁶ + selector.
      Of addresses of both families, the one counts that `ipVersion` (60) names, else the one that is not empty, IPv4 first.
      Wireless controllers tell one end, `staIPv4Address` (366) and `staMacAddress` (365): the destination where `flowDirection` is 1, else the source.
      Packets in records (104, 313, 315) are read as sampled packets are; what the record says itself stays where its packet cannot be read.

      Records with `natEvent` (230) or `firewallEvent` (233, 9/7237) are rows of [`nat_events`](tables.md#nat_events), and of `flows` only where they count bytes or packets. So are, where they count
      nothing, records of a translated address with `portRangeStart` (361) or with `ingressVRFID` (234) and no destination. Blocks of ports are `portRangeStart` to `portRangeEnd` (362), else by
      `portRangeStepSize` (363) and `portRangeNumPorts` (364). Subscribers: `userName` (371), `mobileIMSI` (455), `mobileMSISDN` (456), 9/7232, 637/93, 25461/56702.
      """;

  static String page() {
    StringBuilder page = new StringBuilder(HEAD);
    for (FlowColumn column : FlowColumn.ALL) {
      List<Element> elements = new ArrayList<>();
      for (FlowField field : FlowField.values()) {
        List<Element> ofField =
            InformationElements.all().stream()
                .filter(e -> e.field() == field && field.column == column)
                .collect(Collectors.toCollection(ArrayList::new));
        Collections.reverse(ofField);
        elements.addAll(ofField);
      }
      Collections.reverse(elements);
      if (!elements.isEmpty()) {
        page.append("| `").append(column.columnName()).append("` | ");
        page.append(
            elements.stream().map(ElementsPageTest::text).collect(Collectors.joining(", ")));
        page.append(" |\n");
      }
    }
    return page.append(TAIL).toString();
  }

  private static String text(Element e) {
    String number = e.enterprise() == 0 ? "" : e.enterprise() + "/";
    return e.name() + " (" + number + e.element() + ")";
  }

  @Test
  void thePageHasEachElement() throws IOException {
    Files.writeString(Path.of("target/elements.md"), page());
    assertThat(Files.readString(Path.of("../docs/reference/elements.md")))
        .as("rewrite it: cp documentation/target/elements.md docs/reference/elements.md")
        .isEqualTo(page());
  }
}
