package io.millrace.store.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares filters in the store with a plain evaluation. */
class FilterResultsIT {
  private static final FilterRows ROWS = new FilterRows(20_261_121);

  @TempDir static Path directory;
  private static DuckDbStore store;

  @BeforeAll
  static void open() {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    try (FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
      writer.append(ROWS.block);
      writer.flush();
    }
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static Set<Long> stored(String filter) {
    Set<Long> rows = new TreeSet<>();
    FlowQuery all = FlowQuery.top(10_000, FlowQuery.Measure.PACKETS, "log_index");
    for (TopResult.Row row : store.top(all.withFilter(filter)).rows()) {
      rows.add(Long.valueOf(row.values().get(0)));
    }
    return rows;
  }

  private static Set<Long> plain(Filter filter) {
    Set<Long> rows = new TreeSet<>();
    for (int row = 0; row < FilterRows.ROWS; row++) {
      if (Boolean.TRUE.equals(FilterRows.holds(filter, ROWS.maps.get(row)))) {
        rows.add((long) row);
      }
    }
    return rows;
  }

  private static Set<Long> sql(String condition) {
    Set<Long> rows = new TreeSet<>();
    String sql = "SELECT log_index FROM flows WHERE " + condition;
    try (QueryResult result =
        store.query(new QueryRequest(sql, Duration.ofMinutes(1), FilterRows.ROWS))) {
      while (result.next()) {
        rows.add((Long) result.value(0));
      }
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src_as = 64500 AND dst_port IN (80, 443)",
        "NOT src_as = 64500",
        "src_as <> 64500",
        "src_port IS NULL OR dst_port IS NOT NULL",
        "NOT (src_port = 443 OR dst_port = 443)",
        "src_port NOT IN (80, 443)",
        "bytes BETWEEN 40 AND 999 OR packets >= 1000",
        "bytes NOT BETWEEN 40 AND 999",
        "bytes > 40 AND bytes < 1099511627776 AND packets <= 1000",
        "src_addr = '2001:db8::1' OR dst_addr = '192.0.2.1'",
        "src_addr <> '192.0.2.1'",
        "src_dns = 'it''s'",
        "src_dns NOT IN ('a.example', 'c.test')",
        "src_dns LIKE '%.example'",
        "src_dns NOT LIKE '_.%'",
        "src_as_name ILIKE 'b.%' OR dst_dns ILIKE '%TEST'",
        "(tcp_flags & 2) IS NOT NULL AND (src_port = 443) IS NOT TRUE",
        "time < '2023-11-14 22:13:20.0011'",
        "src_as = 4200000000",
      })
  void equalsTheSameTextInSql(String text) {
    String filter =
        text.replace("(tcp_flags & 2) IS NOT NULL", "tcp_flags IS NOT NULL")
            .replace("2023-11-14 22:13:20.0011", "2023-11-14T22:13:20.0011Z");
    Set<Long> expected = sql(text);
    assertThat(expected).isNotEmpty().hasSizeLessThan(FilterRows.ROWS);
    assertThat(stored(filter)).isEqualTo(expected);
    assertThat(plain(FilterParser.parse(filter, Flows.SCHEMA))).isEqualTo(expected);
  }

  /** nfdump conditions, each with the equivalent SQL. */
  @Test
  void equalsTheMeaningInNfdump() {
    String[][] pairs = {
      {"src ip 192.0.2.1 and dst port 443", "src_addr = '192.0.2.1' AND dst_port = 443"},
      {"ip 192.0.2.1", "src_addr = '192.0.2.1' OR dst_addr = '192.0.2.1'"},
      {"host 2001:db8::1", "src_addr = '2001:db8::1' OR dst_addr = '2001:db8::1'"},
      {"src net 192.0.2.0/24", "src_addr LIKE '192.0.2.%'"},
      {"src net 192.0/16", "src_addr LIKE '192.0.%'"},
      {"dst net 198.51.100.0 255.255.255.0", "dst_addr LIKE '198.51.100.%'"},
      {"net 2001:db8::/32", "src_addr LIKE '2001:db8:%' OR dst_addr LIKE '2001:db8:%'"},
      {
        "ip in [192.0.2.0/24 2001:db8::1]",
        "src_addr LIKE '192.0.2.%' OR dst_addr LIKE '192.0.2.%' OR src_addr = '2001:db8::1' OR dst_addr = '2001:db8::1'"
      },
      {"proto tcp", "proto = 6"},
      {"proto 17 or proto icmp", "proto IN (1, 17)"},
      {"not proto tcp", "coalesce(proto, 0) <> 6"},
      {"port in [80 443]", "src_port IN (80, 443) OR dst_port IN (80, 443)"},
      {"src port in [80, 443]", "src_port IN (80, 443)"},
      {"src and dst port 443", "src_port = 443 AND dst_port = 443"},
      {"src or dst port = 443", "src_port = 443 OR dst_port = 443"},
      {"dst port > 1024", "dst_port > 1024"},
      {"port https", "src_port = 443 OR dst_port = 443"},
      {"not port 443", "coalesce(src_port, 0) <> 443 AND coalesce(dst_port, 0) <> 443"},
      {"port != 443", "coalesce(src_port, 0) <> 443 AND coalesce(dst_port, 0) <> 443"},
      {"as 64500", "src_as = 64500 OR dst_as = 64500"},
      {"not src as AS64500", "coalesce(src_as, 0) <> 64500"},
      {"as in [64500 64501]", "src_as IN (64500, 64501) OR dst_as IN (64500, 64501)"},
      {"if 3", "in_if = 3 OR out_if = 3"},
      {"in if 3 and out if 2", "in_if = 3 AND out_if = 2"},
      {"packets > 10", "packets > 10"},
      {"bytes > 1k", "bytes > 1000"},
      {"bytes >= 1k and bytes lt 1G", "bytes >= 1000 AND bytes < 1000000000"},
      {"flags S", "proto = 6 AND tcp_flags & 2 = 2"},
      {"flags SA", "proto = 6 AND tcp_flags & 18 = 18"},
      {"flags S and not flags AFRPU", "proto = 6 AND tcp_flags & 2 = 2 AND tcp_flags & 61 = 0"},
      {"flags 0x2", "proto = 6 AND tcp_flags = 2"},
      {"duration > 1000", "flow_end - flow_start > INTERVAL 1001 MILLISECOND"},
      {"duration = 0", "flow_end <= flow_start"},
      {
        "not duration >= 0 and bps >= 0",
        "false" // unknown stays unknown, as in all SQL comparisons
      },
      {
        "bps > 5k",
        "flow_end > flow_start AND bytes * 8.0 / ((epoch_us(flow_end) - epoch_us(flow_start)) // 1000) * 1000 > 5000"
      },
      {
        "pps ge 10 and bpp lt 100",
        "flow_end > flow_start AND packets * 1000.0 / ((epoch_us(flow_end) - epoch_us(flow_start)) // 1000) >= 10 AND bytes // packets < 100"
      },
      {"icmp-type 0", "proto IN (1, 58) AND src_port = 0"},
      {"icmp-code in [0 80]", "proto IN (1, 58) AND dst_port IN (0, 80)"},
      {"not icmp-type 0", "NOT coalesce(proto IN (1, 58) AND src_port = 0, false)"},
      {"fwdstat 64", "forwarding_status = 64"},
      {"any", "true"},
      {"inet", "src_addr NOT LIKE '%:%'"},
      {"ipv6", "src_addr LIKE '%:%'"},
      {"router ip 10.0.0.1", "true"},
      {"next ip 10.0.0.1", "false"},
      {"dns 'a.example'", "src_dns = 'a.example' OR dst_dns = 'a.example'"},
      {
        "(src as 64500 || dst as 64501) && ! proto udp # said",
        "(src_as = 64500 OR dst_as = 64501) AND coalesce(proto, 0) <> 17"
      },
    };
    for (String[] pair : pairs) {
      Set<Long> expected = sql(pair[1]);
      Filter filter = FilterParser.parse(pair[0], Flows.SCHEMA);
      assertThat(stored(pair[0])).as(pair[0]).isEqualTo(expected);
      assertThat(plain(filter)).as(pair[0]).isEqualTo(expected);
      assertThat(sql(FilterQuery.condition(filter))).as(pair[0]).isEqualTo(expected);
      String printed = FilterPrinter.print(filter);
      assertThat(FilterParser.parse(printed, Flows.SCHEMA)).as(printed).isEqualTo(filter);
    }
  }

  /** Conditions without an SQL form, each with the equivalent SQL. */
  @Test
  void namesAndNetworksAreValues() {
    String[][] pairs = {
      {"src_as = AS64500", "src_as = 64500"},
      {"as IN (AS64500, 64501)", "src_as IN (64500, 64501) OR dst_as IN (64500, 64501)"},
      {"src_as = AS64086.59904", "src_as = 4200000000"},
      {"src_addr IN 192.0.2.0/25", "src_addr IN ('192.0.2.1')"},
      {"src_addr IN (192.0.2.128/25, 2001:db8::/64)", "src_addr IN ('192.0.2.200', '2001:db8::1')"},
      {"src_addr NOT IN 192.0.2.0/24", "src_addr NOT LIKE '192.0.2.%'"},
      {"src_addr BETWEEN 192.0.2.1 AND 192.0.2.199", "src_addr = '192.0.2.1'"},
      {"src_addr IN ::/0", "src_addr LIKE '%:%'"},
      {"addr IN 0.0.0.0/0", "src_addr NOT LIKE '%:%' OR dst_addr NOT LIKE '%:%'"},
      {"proto = tcp OR proto IN (UDP, ipv6-icmp)", "proto IN (6, 17, 58)"},
      {"dst_port = https", "dst_port = 443"},
      {"dst_port IN (http, 100-500, 39999-50000)", "dst_port IN (80, 443, 40000)"},
      {"tcp_flags = SA", "tcp_flags = 18"},
      {"src_mac = 00:00:5e:00:53:01", "false"},
      {"src_port == 443 and dst_port eq 80", "src_port = 443 AND dst_port = 80"},
    };
    for (String[] pair : pairs) {
      Set<Long> expected = sql(pair[1]);
      Filter filter = FilterParser.parse(pair[0], Flows.SCHEMA);
      assertThat(stored(pair[0])).as(pair[0]).isEqualTo(expected);
      assertThat(sql(FilterQuery.condition(filter))).as(pair[0]).isEqualTo(expected);
    }
  }

  @Test
  void equalsThePlainEvaluationOfAnyFilter() {
    for (int seed = 0; seed < 300; seed++) {
      Filter filter = new RandomFilters(seed).filter(3);
      String text = FilterPrinter.print(filter);
      assertThat(stored(text)).as(text).isEqualTo(plain(filter));
      assertThat(sql(FilterQuery.condition(filter))).as(text).isEqualTo(plain(filter));
    }
  }
}
