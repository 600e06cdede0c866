package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.TopRequest;
import io.millrace.store.TopRequest.Measure;
import io.millrace.store.TopResult;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The largest groups from rollups and from rows. */
class TopRollupTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long SECOND = 1_000_000;
  private static RolledFlows flows;
  private static TopQuery top;

  @BeforeAll
  static void fill() throws SQLException {
    flows = new RolledFlows(1, 6_000, true);
    top = new TopQuery(flows.queries, flows.views.get("flows"), Accounting.ARRIVAL);
  }

  @AfterAll
  static void close() throws SQLException {
    flows.close();
  }

  private static Instant at(long micros) {
    return Instant.ofEpochSecond(0, (RolledFlows.START + micros) * 1_000);
  }

  private static void answersTheSame(TopRequest request) {
    TopResult rolled = top.run(request, LIMIT);
    TopResult scanned = top.run(request.withScan(true), LIMIT);
    assertThat(scanned.source()).isEqualTo("rows");
    assertThat(rolled.rows())
        .as("%s %s", request, rolled.source())
        .containsExactlyElementsOf(scanned.rows());
    assertThat(rolled.total()).isEqualTo(scanned.total());
    assertThat(rolled.estimated()).isEqualTo(scanned.estimated());
    assertThat(rolled.columns()).isEqualTo(scanned.columns());
  }

  @Test
  void answersTheSameFromRollupsAsFromRows() {
    Random random = new Random(2);
    List<String> dimensions =
        List.of("as", "src_as", "dst_as", "src_addr", "dst_port", "proto", "in_if");
    for (int i = 0; i < 60; i++) {
      long from = Math.abs(random.nextLong()) % (30 * 3_600 * SECOND);
      long to = from + Math.abs(random.nextLong()) % (20 * 3_600 * SECOND);
      answersTheSame(
          new TopRequest(
                  List.of(dimensions.get(random.nextInt(dimensions.size()))),
                  random.nextBoolean() ? Measure.BYTES : Measure.PACKETS,
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(from)),
                  random.nextInt(4) == 0 ? Optional.empty() : Optional.of(at(to)),
                  Optional.empty(),
                  random.nextBoolean() ? 10_000 : 5,
                  "flows")
              .withP95(random.nextInt(3) == 0));
    }
  }

  @Test
  void saysWhatItWasMadeOf() {
    TopRequest request = TopRequest.of(3, Measure.BYTES, "as");
    assertThat(top.run(request, LIMIT).source()).startsWith("rollup as: ").contains(" hours, ");
    assertThat(top.run(TopRequest.of(3, Measure.BYTES, "tos"), LIMIT).source()).isEqualTo("rows");
  }
}
