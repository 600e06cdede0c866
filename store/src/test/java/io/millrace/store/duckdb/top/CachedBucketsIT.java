package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cached buckets equal the stored ones, whatever changes these. */
class CachedBucketsIT {
  private static final int ROUNDS = Boolean.getBoolean("millrace.long") ? 8 : 3;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long HOUR = 3_600_000_000L;

  private RolledFlows flows;

  @AfterEach
  void close() throws SQLException {
    flows.close();
  }

  private TopQuery top(Accounting accounting) {
    return new TopQuery(flows.source(accounting));
  }

  private static FlowQuery request(String dimension, Measure by, long from, long to) {
    return FlowQuery.top(
        List.of(dimension),
        by,
        Optional.of(Instant.ofEpochSecond(0, (RolledFlows.START + from) * 1_000)),
        Optional.of(Instant.ofEpochSecond(0, (RolledFlows.START + to) * 1_000)),
        Optional.empty(),
        7,
        "flows");
  }

  private static void answersAsRowsDo(TopQuery top, FlowQuery request) {
    TopResult rolled = top.run(request, LIMIT, new Cancellation());
    TopResult scanned = top.run(request.withScan(true), LIMIT, new Cancellation());
    assertThat(rolled.source()).as("%s", request).startsWith("rollup ");
    assertThat(rolled.rows())
        .as("%s %s", request, rolled.source())
        .containsExactlyElementsOf(scanned.rows());
    assertThat(rolled.total()).isEqualTo(scanned.total());
    assertThat(rolled.estimated()).isEqualTo(scanned.estimated());
  }

  @Test
  void lateRowsAndRewindsAreSeen() throws SQLException {
    flows = new RolledFlows(7, 3_000, true, RollupConfig.DEFAULT);
    Random random = new Random(7);
    List<String> dimensions =
        List.of("as", "src_as", "dst_as", "src_addr", "dst_port", "proto", "exporter");
    for (int round = 0; round < ROUNDS; round++) {
      for (String dimension : dimensions) {
        long from = random.nextLong(20 * HOUR);
        long to = from + HOUR + random.nextLong(25 * HOUR);
        for (Accounting accounting : Accounting.values()) {
          Measure by = random.nextBoolean() ? Measure.BITS : Measure.PACKETS;
          answersAsRowsDo(top(accounting), request(dimension, by, from, to));
          answersAsRowsDo(top(accounting), request(dimension, by, 0, 54 * HOUR));
        }
      }
      assertThat(flows.memory.buckets().size()).isPositive();
      flows.append(200);
    }
  }

  @Test
  void theLeastRecentlyUsedAreEvicted() throws SQLException {
    flows = new RolledFlows(8, 3_000, false, RollupConfig.DEFAULT);
    long budget = 400_000;
    CachedBuckets few = new CachedBuckets(budget);
    for (int hour = 0; hour < 40; hour++) {
      assertThat(hold(few, hour * HOUR, (hour + 6) * HOUR)).as("hour %d", hour).isPresent();
      assertThat(few.size()).isLessThanOrEqualTo(budget);
    }
    // Minutes and five minutes at both ends, hours and a day, for which there is not enough memory.
    assertThat(hold(new CachedBuckets(1_000), HOUR / 60, 50 * HOUR - HOUR / 60)).isEmpty();
  }

  private Optional<CachedBuckets.SetBuckets> hold(CachedBuckets buckets, long from, long to)
      throws SQLException {
    return flows.queries.shared(
        new Queries.SharedQuery<>() {
          private Optional<CachedBuckets.SetBuckets> held;

          @Override
          public Queries.QueryKey prepare(ReadTransaction transaction) throws SQLException {
            RollupFacts facts = RollupFacts.read(transaction, "flows", flows.queries.memory());
            RollupPlan plan =
                facts
                    .plan(
                        new RollupQuery(
                            Set.of("src_addr"),
                            RolledFlows.START + from,
                            RolledFlows.START + to,
                            Accounting.ARRIVAL,
                            false,
                            0))
                    .orElseThrow();
            held = buckets.of(transaction.connection(), facts, plan);
            return new Queries.QueryKey(plan, facts.rows());
          }

          @Override
          public Optional<CachedBuckets.SetBuckets> execute(
              ReadTransaction transaction, Queries.RunningQuery running) {
            return held;
          }
        },
        LIMIT,
        new Cancellation());
  }
}
