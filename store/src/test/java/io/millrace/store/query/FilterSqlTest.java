package io.millrace.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.store.filter.FilterParser;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterSqlTest {
  private static final String ONE = "UUID '00000000-0000-0000-0000-ffffc0000201'";
  private static final String TWO = "UUID '00000000-0000-0000-0000-ffffc0000202'";
  private static final String THREE = "UUID '00000000-0000-0000-0000-ffffc0000203'";

  private static List<String> addresses(String filter) {
    return FilterSql.addresses(FilterParser.parse(filter, new FlowSchema(List.of())), Expr::column)
        .stream()
        .map(condition -> condition.in(Dialect.DUCKDB).replace("\"", ""))
        .toList();
  }

  @Test
  void aConjunctionRestrictsItsAddresses() {
    assertThat(addresses("src_addr = 192.0.2.1 AND proto = 6"))
        .containsExactly("(src_addr = " + ONE + ")");
    assertThat(addresses("src_addr = 192.0.2.1 AND dst_addr IN (192.0.2.1, 192.0.2.2)"))
        .containsExactly(
            "((src_addr = %1$s) AND ((dst_addr = %1$s) OR (dst_addr = %2$s)))".formatted(ONE, TWO));
    assertThat(addresses("src net 192.0.2.2/31"))
        .containsExactly("(src_addr BETWEEN " + TWO + " AND " + THREE + ")");
  }

  @Test
  void aRowMeetsOneOfTheConditionsOfADisjunction() {
    String second = "((dst_addr = %1$s) AND ((src_addr = %1$s) IS NOT TRUE))".formatted(ONE);
    assertThat(addresses("ip 192.0.2.1")).containsExactly("(src_addr = " + ONE + ")", second);
    assertThat(addresses("src_addr BETWEEN 192.0.2.2 AND 192.0.2.3 AND ip 192.0.2.1"))
        .containsExactly(
            "((src_addr BETWEEN %s AND %s) AND (src_addr = %s))".formatted(TWO, THREE, ONE),
            "((src_addr BETWEEN %s AND %s) AND %s)".formatted(TWO, THREE, second));
  }

  @Test
  void otherFiltersDoNotRestrictAddresses() {
    for (String filter :
        List.of(
            "proto = 6",
            "not src ip 192.0.2.1",
            "src_addr = 192.0.2.1 OR proto = 6",
            "src_addr <> 192.0.2.1",
            "src_addr IS NULL")) {
      assertThat(addresses(filter)).as(filter).containsExactly("true");
    }
  }
}
