package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.store.FlowSchema;
import io.millrace.store.filter.FilterParser;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowExpressionsTest {
  private static final FlowSchema SCHEMA =
      new FlowSchema(
          List.of(
              new FlowSchema.AddedColumn("src_as", JoinedColumn.Kind.NUMBER),
              new FlowSchema.AddedColumn("src_dns", JoinedColumn.Kind.TEXT)));
  private static final ColumnTexts TEXTS =
      (column, id) -> id == 100 ? "a.example.net" : id == 101 ? "B.example.org" : null;

  /**
   * Four flows: TCP with a name and times, UDP over IPv6, one without any columns, and one whose
   * clock was set back.
   */
  private static FlowBlock flows() {
    FlowBlock flows = new FlowBlock(4);
    flows.rows(4);
    address(flows, 0, "192.0.2.1");
    address(flows, 1, "2001:db8::1");
    address(flows, 3, "192.0.2.200");
    flows.addressHigh(FlowColumn.SRC_ADDR)[2] = Addresses.NULL;
    flows.addressLow(FlowColumn.SRC_ADDR)[2] = Addresses.NULL;
    ints(flows, FlowColumn.PROTO, 6, 17, -1, 6);
    ints(flows, FlowColumn.DST_PORT, 443, 53, -1, 80);
    ints(flows, FlowColumn.TCP_FLAGS, 18, -1, -1, 2);
    longs(flows, FlowColumn.BYTES, 3_000, 500, 7, 40);
    longs(flows, FlowColumn.PACKETS, 2, 1, 0, 1);
    longs(flows, FlowColumn.FLOW_START, 1_000_000, 5_000, -1, 9_000_000);
    longs(flows, FlowColumn.FLOW_END, 3_500_999, 5_000, 8_000, 8_000_000);
    flows
        .joined()
        .add(
            new JoinedColumn("src_as", JoinedColumn.Kind.NUMBER, 0, new int[] {64_500, -2, -1, 0}));
    flows
        .joined()
        .add(new JoinedColumn("src_dns", JoinedColumn.Kind.TEXT, 100, new int[] {0, 1, -1, 5}));
    return flows;
  }

  private static void address(FlowBlock flows, int row, String address) {
    long[] halves = new long[2];
    assertThat(Addresses.parse(address, halves)).isTrue();
    flows.addressHigh(FlowColumn.SRC_ADDR)[row] = halves[0];
    flows.addressLow(FlowColumn.SRC_ADDR)[row] = halves[1];
  }

  private static void ints(FlowBlock flows, FlowColumn column, int... values) {
    System.arraycopy(values, 0, flows.ints(column), 0, values.length);
  }

  private static void longs(FlowBlock flows, FlowColumn column, long... values) {
    System.arraycopy(values, 0, flows.longs(column), 0, values.length);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          any                                          | 1111
          dst_port IN (80, 443)                        | 10?1
          NOT dst_port IN (80, 443)                    | 01?0
          dst port 443                                 | 1000
          not dst port 443                             | 0111
          proto = tcp AND dst_port < 100               | 00?1
          proto = tcp OR dst_port = 53                 | 11?1
          dst_port = 53 OR bytes > 1                   | 1111
          dst_port = 53 AND bytes < 1                  | 0000
          (dst_port = 53) IS NOT TRUE                  | 1011
          dst_port IS NULL                             | 0010
          src_addr IS NOT NULL                         | 1101
          src_addr IN 192.0.2.0/25                     | 10?0
          src_addr IN (2001:db8::/32, 192.0.2.200)     | 01?1
          src_addr BETWEEN 192.0.2.1 AND 192.0.2.199   | 10?0
          tcp_flags & 16 = 16                          | 1??0
          src_as = 64500                               | 10?0
          src_as > 4294967293                          | 01?0
          src_dns = 'a.example.net'                    | 10??
          src_dns ILIKE 'b.%'                          | 01??
          src_dns LIKE '_.example%'                    | 11??
          duration > 2000                              | 10?0
          bps >= 9600                                  | 10?0
          bpp = 1500                                   | 1000
          next_hop IS NULL                             | 1111
          in_vrf = 1                                   | ????
          """)
  void aConditionIsTrueFalseOrUnknown(String filter, String expected) {
    long[] is = new long[4];
    FlowCondition.of(FilterParser.parse("(" + filter + ")", SCHEMA), TEXTS).of(flows(), is);
    StringBuilder results = new StringBuilder();
    for (long each : is) {
      results.append(each == FlowBlock.NULL ? "?" : Long.toString(each));
    }
    assertThat(results.toString()).isEqualTo(expected);
  }

  @Test
  void computesWhatTheFilterLanguageComputes() {
    List<String> results = new ArrayList<>();
    for (String name : List.of("duration", "bps", "pps", "bpp")) {
      long[] values = new long[4];
      FlowNumbers.computed(name).of(flows(), values);
      results.add(name + " " + values[0] + " " + values[1] + " " + values[2] + " " + values[3]);
    }
    assertThat(results)
        .containsExactly(
            "duration 2500 0 -1 0", "bps 9600 0 -1 0", "pps 0 0 -1 0", "bpp 1500 500 0 40");
  }

  private static void check(String... keys) {
    FlowExpressions.check(
        "hitters.keys", List.of(keys).stream().map(HitterKind::parse).toList(), Map.of());
  }

  @Test
  void anErrorHasItsPosition() {
    check("source", "src_addr+(dst_port IN (80, 443))", "bpp", "duration+proto");
    assertThatThrownBy(() -> check("src_addr+(dst_port = htps)"))
        .hasMessageContaining("hitters.keys, src_addr+(dst_port = htps): filter, column 13")
        .hasMessageContaining("the name of a service, found 'htps'")
        .hasMessageEndingWith("LINE 1: (dst_port = htps)\n                    ^");
    assertThatThrownBy(() -> check("(dst_port IN (80")).hasMessageContaining("filter, column 17");
    assertThatThrownBy(() -> check("(in_if_name = 'x')"))
        .hasMessageContaining("in_if_name is only available in the store");
    assertThatThrownBy(() -> check("src_city")).hasMessageContaining("unknown column 'src_city'");
  }
}
