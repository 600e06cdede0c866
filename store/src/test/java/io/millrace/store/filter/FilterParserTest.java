package io.millrace.store.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.store.FlowSchema;
import io.millrace.store.Flows;
import io.millrace.wire.block.JoinedColumn;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterParserTest {
  private static FilterException rejection(String text) {
    return catchThrowableOfType(
        FilterException.class, () -> FilterParser.parse(text, Flows.SCHEMA));
  }

  private static String printed(String text) {
    return FilterPrinter.print(FilterParser.parse(text, Flows.SCHEMA));
  }

  @Test
  void memberAsNumbersHaveTheSyntaxOfNetworks() {
    FlowSchema schema =
        new FlowSchema(
            List.of(
                new FlowSchema.AddedColumn("src_member_asn", JoinedColumn.Kind.NUMBER),
                new FlowSchema.AddedColumn("dst_member_asn", JoinedColumn.Kind.NUMBER)));
    assertThat(FilterParser.parse("member_asn = AS64500", schema))
        .isEqualTo(FilterParser.parse("member_asn = 64500", schema));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "src_port = 70000 | 12 | expected a number from 0 to 65535, or the name of a service, found '70000'",
        "src_prot = 6 | 1 | there is no column 'src_prot'; did you mean src_port?",
        "proto = 6 AND | 14 | expected a condition such as src_port = 443 or src port 443, found end of filter",
        "proto = 6 proto = 7 | 11 | expected AND, OR or end of filter, found 'proto'",
        "(proto = 6 | 11 | expected AND, OR or ), found end of filter",
        "src_addr > 10.0.0.1 | 10 | expected =, <>, IN, BETWEEN or IS, for src_addr is an address, found '>'",
        "src_addr IN 10.0.0.0/33 | 13 | expected an address or a network such as 192.0.2.0/24, found '10.0.0.0/33'",
        "src_dns LIKE abc | 14 | expected a pattern in quotes, with % for any text, found 'abc'",
        "src_dns < 'x' | 9 | expected =, <>, IN, LIKE, ILIKE or IS, for src_dns is a text, found '<'",
        "port in [80 443 | 16 | expected a comma or ], found end of filter",
        "port in (80 443) | 13 | expected a comma or ), found '443'",
        "bytes > 1x | 9 | expected a number from 0 to 9223372036854775807, optionally followed by k, M, G or T, found '1x'",
        "src_port < 0 | 12 | no value of src_port is < 0",
        "src_port BETWEEN 5 AND 3 | 18 | range end is less than its start",
        "src_dns = 'abc | 11 | unterminated quote, expected '",
        "proto = 6 ; DROP TABLE flows | 11 | unexpected character ';'",
        "src next 7 | 5 | next has no src side",
        "src_port NOT 5 | 14 | expected IN, BETWEEN, LIKE or ILIKE, found '5'",
        "time > yesterday | 8 | expected an instant such as '2026-01-31T12:00:00Z', found 'yesterday'",
        "src_mac = 1 | 11 | expected a MAC address such as 00:00:5e:00:53:01, found '1'",
        "net 10.0.0.0 255.0.255.0 | 14 | expected a mask such as 255.255.255.0, found '255.0.255.0'",
        "port 53 and ident here | 13 | there is no column 'ident': this nfdump condition is not supported",
        "TCP and port 80 | 1 | there is no column 'TCP'; write proto tcp",
        "foo 1 | 1 | there is no column 'foo'; DESCRIBE flows lists them",
        "duration > 1s | 12 | expected a number from 0 to 9223372036854775807, optionally followed by k, M, G or T, found '1s'",
        "proto IS 6 | 10 | expected NULL or NOT NULL, found '6'",
      },
      quoteCharacter = '`')
  void anErrorHasPositionAndExpectation(String text, int column, String problem) {
    FilterException rejection = rejection(text);
    assertThat(rejection.position()).isEqualTo(column - 1);
    assertThat(rejection)
        .hasMessage(
            "filter, column %d: %s\nLINE 1: %s\n        %s^"
                .formatted(column, problem, text, " ".repeat(column - 1)));
  }

  @Test
  void anErrorInALaterLineQuotesThatLine() {
    assertThat(rejection("proto = 6\n AND\tport = x"))
        .hasMessage(
            "filter, line 2, column 13: expected a number from 0 to 65535, or the name of a"
                + " service, found 'x'\nLINE 2:  AND\tport = x\n            \t       ^");
  }

  @Test
  void printsAsSql() {
    assertThat(printed("src ip 192.0.2.1 and dst port 443"))
        .isEqualTo("(src_addr = 192.0.2.1) IS TRUE AND (dst_port = 443) IS TRUE");
    assertThat(printed("not port in [80, 443]"))
        .isEqualTo("NOT (src_port IN (80, 443) OR dst_port IN (80, 443)) IS TRUE");
    assertThat(printed("src_addr in 192.0.2.77/24 or (proto=6 and time>=2026-01-31T12:00:00Z)"))
        .isEqualTo("src_addr IN 192.0.2.0/24 OR (proto = 6 AND time >= 2026-01-31T12:00:00Z)");
  }

  @Test
  void aDeclaredColumnOfADataSetIsKnown() {
    assertThat(
            catchThrowableOfType(
                    FilterException.class,
                    () -> FilterParser.parse("src_as = 1", new FlowSchema(List.of())))
                .getMessage())
        .contains("there is no column 'src_as'");
    assertThat(FilterParser.parse("src_as = 1", Flows.SCHEMA)).isInstanceOf(Filter.Within.class);
  }
}
