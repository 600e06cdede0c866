package io.millrace.store.duckdb.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.Flows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommunityIdTest {
  @TempDir static Path directory;
  private static DuckDbStore store;

  @BeforeAll
  static void open() {
    store = Flows.store(directory);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
  }

  /** The specification's own table (baseline_deflt.json): protocol, addresses, ports, name. */
  @ParameterizedTest
  @CsvSource({
    "58, fe80::200:86ff:fe05:80da, fe80::260:97ff:fe07:69ea, 135, 136, 1:dGHyGvjMfljg6Bppwm3bg0LO8TY=",
    "58, fe80::260:97ff:fe07:69ea, fe80::200:86ff:fe05:80da, 136, 135, 1:dGHyGvjMfljg6Bppwm3bg0LO8TY=",
    "58, fe80::260:97ff:fe07:69ea, fe80::200:86ff:fe05:80da, 135, 136, 1:zavyT/cezQr1fmImYCwYnMXbgck=",
    "58, fe80::200:86ff:fe05:80da, fe80::260:97ff:fe07:69ea, 136, 135, 1:zavyT/cezQr1fmImYCwYnMXbgck=",
    "58, 3ffe:501:1800:2345::2, 3ffe:507:0:1:200:86ff:fe05:80da, 3, 0, 1:2ObVBgIn28oZvibYZhZMBgh7WdQ=",
    "58, 3ffe:501:410:0:2c0:dfff:fe47:33e, 3ffe:507:0:1:200:86ff:fe05:80da, 1, 4, 1:hLZd0XGWojozrvxqE0dWB1iM6R0=",
    "58, 3ffe:507:0:1:200:86ff:fe05:80da, 3ffe:501:0:1001::2, 128, 129, 1:+TW+HtLHvV1xnGhV1lv7XoJrqQg=",
    "58, 3ffe:501:0:1001::2, 3ffe:507:0:1:200:86ff:fe05:80da, 129, 128, 1:+TW+HtLHvV1xnGhV1lv7XoJrqQg=",
    "58, fe80::200:86ff:fe05:80da, ff02::2, 133, 134, 1:hO+sN4H+MG5MY/8hIrXPqc4ZQz0=",
    "58, fe80::260:97ff:fe07:69ea, ff02::1, 134, 133, 1:pkvHqCL88/tg1k4cPigmZXUtL00=",
    "1, 192.168.0.89, 192.168.0.1, 8, 0, 1:X0snYXpgwiv9TZtqg64sgzUn6Dk=",
    "1, 192.168.0.1, 192.168.0.89, 0, 8, 1:X0snYXpgwiv9TZtqg64sgzUn6Dk=",
    "1, 10.0.0.1, 10.0.0.2, 11, 0, 1:YHxtAirCG//0OzkcVAukqKQN9xM=",
    "6, 2001:470:e5bf:dead:4957:2174:e82c:4887, 2607:f8b0:400c:c03::1a, 63943, 25, 1:/qFaeAR+gFe1KYjMzVDsMv+wgU4=",
    "6, 2607:f8b0:400c:c03::1a, 2001:470:e5bf:dead:4957:2174:e82c:4887, 25, 63943, 1:/qFaeAR+gFe1KYjMzVDsMv+wgU4=",
    "132, 192.168.170.8, 192.168.170.56, 7, 7, 1:MP2EtRCAUIZvTw6MxJHLV7N7JDs=",
    "132, 192.168.170.56, 192.168.170.8, 7, 7, 1:MP2EtRCAUIZvTw6MxJHLV7N7JDs=",
    "6, 128.232.110.120, 66.35.250.204, 34855, 80, 1:LQU9qZlK+B5F3KDmev6m5PMibrg=",
    "6, 66.35.250.204, 128.232.110.120, 80, 34855, 1:LQU9qZlK+B5F3KDmev6m5PMibrg=",
    "17, 192.168.1.52, 8.8.8.8, 54585, 53, 1:d/FP5EW3wiY1vCndhwleRRKHowQ=",
    "17, 8.8.8.8, 192.168.1.52, 53, 54585, 1:d/FP5EW3wiY1vCndhwleRRKHowQ=",
    "46, 10.1.12.1, 10.1.12.2, NULL, NULL, 1:KHlLkgoJW7ifUTyTSgyVfkFHzKw=",
    "46, 10.1.12.2, 10.1.12.1, NULL, NULL, 1:KHlLkgoJW7ifUTyTSgyVfkFHzKw=",
  })
  void equalsTheSpecificationsValues(
      int proto, String source, String destination, String port, String other, String expected) {
    assertThat(
            rows(
                "SELECT community_id(ip('%s'), ip('%s'), %d, %s, %s)"
                    .formatted(source, destination, proto, port, other)))
        .containsExactly(expected);
  }

  /** Values of {@link Flows}' second row, by the rules of the specification in another language. */
  @Test
  void isAColumnOnRequest() {
    assertThat(
            rows(
                "SELECT src_addr, dst_addr, src_port, dst_port, community_id FROM flows WHERE log_index = 1"))
        .containsExactly("192.0.2.1|198.51.100.1|443|40001|1:N//99mbGpYIRnE/V4G/9ge/tcOk=");
    assertThat(
            rows(
                "SELECT community_id, count(*) FROM flows WHERE proto = 6 GROUP BY ALL"
                    + " HAVING community_id = '1:N//99mbGpYIRnE/V4G/9ge/tcOk='"))
        .containsExactly("1:N//99mbGpYIRnE/V4G/9ge/tcOk=|1");
    assertThat(rows("SELECT count(f.Community_ID) FROM flows f")).containsExactly("40");
    assertThat(rows("SELECT count(community_id) FROM flows_committed")).containsExactly("0");
    assertThat(rows("SELECT dst_as_name, min(community_id) IS NULL FROM flows GROUP BY 1"))
        .hasSize(4);
  }

  @Test
  void isNoColumnOtherwise() {
    try (QueryResult result =
        store.query(new QueryRequest("SELECT * FROM flows", Duration.ofMinutes(1), 1))) {
      assertThat(result.columns())
          .extracting(QueryResult.Column::name)
          .contains("src_addr")
          .doesNotContain("community_id");
    }
  }
}
