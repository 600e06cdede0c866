package io.millrace.store.duckdb.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryRequest;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.rollup.RollupConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random queries have the same results from rollups as from rows. Rollups are made by one GROUP BY
 * each, or by the store, in several steps, folded, with few groups per bucket, and rewound. {@code
 * -Dmillrace.rollup.queries=N} runs more queries, {@code -Dmillrace.rollup.seed=N} other ones.
 */
class RollupPropertyIT {
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final int QUERIES =
      Integer.getInteger("millrace.rollup.queries", LONG ? 2_000 : 60);
  private static final long SEED =
      Long.getLong("millrace.rollup.seed", LONG ? System.nanoTime() : 20_261_121);
  private static final int QUERIES_A_STORE = LONG ? 50 : 15;

  /** Columns that are together in one set. */
  private static final List<List<String>> SETS =
      List.of(
          List.of("src_as", "src_as_name", "dst_as", "dst_as_name"),
          List.of("src_addr"),
          List.of("dst_addr"),
          List.of("dst_port", "proto"),
          List.of("exporter", "in_if", "out_if"));

  private static final List<List<String>> NETDATA_SETS =
      List.of(List.of("asS", "asD"), List.of("ipS"), List.of("ipD"), List.of("portD", "proto"));

  @Test
  void rollupsHaveTheResultsOfRows() throws SQLException {
    Random random = new Random(SEED);
    int answered = 0;
    int asked = 0;
    for (int store = 0; store * QUERIES_A_STORE < QUERIES; store++) {
      try (RolledFlows flows = flows(store % 4, random)) {
        for (int i = 0; i < Math.min(QUERIES_A_STORE, QUERIES); i++) {
          String sql = new Query(random).sql();
          assertThat(rows(flows, sql, false))
              .as("seed %d, store %d, query %d: %s", SEED, store, i, sql)
              .containsExactlyElementsOf(rows(flows, sql, true));
          if (i % 10 == 0) {
            asked++;
            answered += rows(flows, "EXPLAIN " + sql, false).get(1).startsWith("answered") ? 1 : 0;
          }
        }
      }
    }
    assertThat(answered).isGreaterThan(asked / 4);
  }

  private static RolledFlows flows(int kind, Random random) throws SQLException {
    long seed = random.nextLong();
    boolean hasNulls = random.nextInt(kind < 2 ? 2 : 4) == 0;
    RollupConfig all = RollupConfig.DEFAULT;
    RollupConfig few = all.withKeep(10);
    if (kind < 2) {
      return new RolledFlows(seed, 2_000, hasNulls);
    }
    RolledFlows flows = new RolledFlows(seed, 2_000, hasNulls, kind == 2 ? all : few);
    for (int i = random.nextInt(3); i > 0; i--) {
      flows.append(300);
    }
    return flows;
  }

  private static List<String> rows(RolledFlows flows, String sql, boolean scan) {
    QueryRequest request = new QueryRequest(sql, Duration.ofMinutes(1), 100_000, scan);
    return AnswerRows.withColumns(flows.queries.run(request, new Cancellation()));
  }

  /** A random query. Its result is sorted by all columns, so that its order is unique. */
  private static final class Query {
    private final Random random;
    private final boolean isNetdata;
    private final List<String> dimensions;
    private final Set<String> items = new LinkedHashSet<>();

    Query(Random random) {
      this.random = random;
      isNetdata = random.nextInt(4) == 0;
      dimensions = pick(isNetdata ? NETDATA_SETS : SETS);
    }

    private <T> T pick(List<T> list) {
      return list.get(random.nextInt(list.size()));
    }

    private boolean oneIn(int n) {
      return random.nextInt(n) == 0;
    }

    String sql() {
      String time = isNetdata ? "t" : "time";
      List<String> shuffled = new ArrayList<>(dimensions);
      Collections.shuffle(shuffled, random);
      items.addAll(shuffled.subList(0, random.nextInt(shuffled.size() + 1)));
      if (oneIn(4) && !isNetdata) {
        items.add(bucket(time));
      }
      int groups = items.size();
      int aggregates = 1 + random.nextInt(3);
      while (items.size() < groups + aggregates) {
        items.add(aggregate());
        aggregates -= oneIn(4) ? 1 : 0;
      }
      StringBuilder sql = new StringBuilder("SELECT ").append(String.join(", ", items));
      sql.append(" FROM ").append(isNetdata ? "netdata" : oneIn(4) ? "flows_committed" : "flows");
      List<String> conditions = new ArrayList<>(window(time));
      if (oneIn(3)) {
        conditions.add(condition());
      }
      Collections.shuffle(conditions, random);
      if (!conditions.isEmpty()) {
        sql.append(" WHERE ").append(String.join(" AND ", conditions));
      }
      if (groups > 0) {
        sql.append(" GROUP BY ");
        List<String> numbers = new ArrayList<>();
        for (int i = 1; i <= groups; i++) {
          numbers.add(Integer.toString(i));
        }
        sql.append(oneIn(2) ? "ALL" : String.join(", ", numbers));
        if (oneIn(4)) {
          sql.append(" HAVING count(*) ").append(oneIn(2) ? "> " : "<= ").append(random.nextInt(9));
        }
      }
      List<String> order = new ArrayList<>();
      for (int i = items.size(); i >= 1; i--) {
        order.add(i + (oneIn(2) ? " DESC" : ""));
      }
      sql.append(" ORDER BY ").append(String.join(", ", order));
      if (oneIn(2)) {
        sql.append(" LIMIT ").append(random.nextInt(20));
      }
      return sql.toString();
    }

    private String bucket(String time) {
      return switch (random.nextInt(4)) {
        case 0 -> "date_trunc('hour', " + time + ")";
        case 1 -> "date_trunc('day', " + time + ")";
        case 2 -> "time_bucket(INTERVAL '" + (1 + random.nextInt(90)) + " minutes', " + time + ")";
        default -> "time_bucket(INTERVAL '1 hour', " + time + ") + INTERVAL 1 HOUR";
      };
    }

    private String aggregate() {
      if (isNetdata) {
        return pick(
            List.of("count(*)", "sum(size)", "sum(size) / count(*)", "COUNT()", "avg(size)"));
      }
      return pick(
          List.of(
              "count(*)",
              "count(1)",
              "sum(bytes)",
              "sum(packets)",
              "sum(bytes * sampling_rate)",
              "sum(coalesce(sampling_rate, 1) * packets)",
              "sum(8 * bytes) / 300",
              "avg(bytes)",
              "avg(packets)",
              "sum(bytes) * 100.0 / sum(packets)",
              "round(sum(bytes * coalesce(sampling_rate, 1)) / 1e3, 1)"));
    }

    private List<String> window(String time) {
      List<String> conditions = new ArrayList<>();
      if (oneIn(12)) {
        conditions.add(time + " BETWEEN " + moment() + " AND " + moment());
      } else {
        if (!oneIn(4)) {
          conditions.add(oneIn(2) ? time + " >= " + moment() : moment() + " < " + time);
        }
        if (!oneIn(4)) {
          conditions.add(oneIn(2) ? time + " < " + moment() : moment() + " >= " + time);
        }
      }
      return conditions;
    }

    private String moment() {
      long step = pick(List.of(1L, 1_000_000L, 60_000_000L, 300_000_000L, 3_600_000_000L));
      long micros = (long) (random.nextDouble() * 56 * 3_600_000_000L) - 3_600_000_000L;
      micros = RolledFlows.START + Math.floorDiv(micros, step) * step;
      if (isNetdata) {
        return oneIn(2) ? Long.toString(micros) : micros + 1_000_000 + " - 1000000";
      }
      String text = Instant.ofEpochSecond(0, micros * 1_000).toString().replace("Z", "");
      return switch (random.nextInt(6)) {
        case 5 -> "TIMESTAMPTZ '" + text + "+00'";
        case 0 -> "'" + text + "'";
        case 1 -> "TIMESTAMP '" + text.replace('T', ' ') + "'";
        case 2 -> "make_timestamp(" + micros + ")";
        case 3 -> "'" + text + "'::TIMESTAMP - INTERVAL 1 HOUR";
        default -> "epoch_ms(" + micros / 1_000 + ")";
      };
    }

    private String condition() {
      String column = pick(dimensions);
      return switch (column) {
        case "src_addr", "dst_addr", "ipS", "ipD" ->
            column + " = '192.0.2." + random.nextInt(20) + "'";
        case "exporter" -> "exporter IS NOT NULL";
        case "src_as_name", "dst_as_name", "asS", "asD" ->
            column + pick(List.of(" LIKE '%1%'", " IS NULL", " <> 'Name 2'", " = 'AS1 Name 1'"));
        default ->
            oneIn(2)
                ? column + " IN (1, 2, 6, " + random.nextInt(500) + ")"
                : "(" + column + " < 9 OR " + column + " IS NULL)";
      };
    }
  }
}
