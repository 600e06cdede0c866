package io.millrace.store.duckdb.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.wire.block.Frontier;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The kept groups are the first ones after sorting all by a measure and then by their hash, which
 * the database computes; many groups here have equal measures.
 */
class RollupPrunerPropertyTest {
  private static final String FOLDED = "temp.folded";
  private static final int SUMS = RollupCatalog.SUMS.size();
  private static final int SCALED_PACKETS = RollupCatalog.SUMS.indexOf("scaled_packets");
  private static final int SCALED_BYTES = RollupCatalog.SUMS.indexOf("scaled_bytes");
  private static final StoredRollup SET =
      new StoredRollup(
          new RollupSet("x", List.of("a", "b")), Frontier.EMPTY, Map.of(), RollupCatalog.ALWAYS);
  private static final String LOT = RollupPruner.lot(SET.set().columns());
  private static final String STORED = RollupCatalog.recent("flows", "x", Grain.MINUTE);

  private DuckDBConnection connection;
  private Statement statement;

  /** A group of a bucket. */
  private record Group(long bucket, Integer a, String b) {
    static Group read(ResultSet row) throws SQLException {
      String a = row.getString(2);
      return new Group(row.getLong(1), a == null ? null : Integer.valueOf(a), row.getString(3));
    }
  }

  /** A stored row of a group. */
  private record Row(Group group, boolean spread, List<Long> sums) {
    long sum(int i) {
      return sums.get(i) == null ? 0 : sums.get(i);
    }

    String sql() {
      return "(make_timestamp(%d::BIGINT), %s, %s, %s, %s)"
          .formatted(
              group.bucket,
              group.a,
              group.b == null ? "NULL" : "'" + group.b + "'",
              spread,
              sums.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }
  }

  @BeforeEach
  void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    statement = connection.createStatement();
    statement.execute("ATTACH ':memory:' AS millrace");
    statement.execute("CREATE SCHEMA millrace.raw");
    for (String table : RollupCatalog.create()) {
      statement.execute(table);
    }
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void make(String type) throws SQLException {
    String columns =
        "(bucket TIMESTAMP, a INTEGER, b VARCHAR, spread BOOLEAN, %s)"
            .formatted(
                RollupCatalog.SUMS.stream()
                    .map(sum -> Catalog.quoted(sum) + " " + type)
                    .collect(Collectors.joining(", ")));
    statement.execute("CREATE TABLE " + STORED + columns);
    statement.execute("CREATE TEMP TABLE " + FOLDED + columns);
  }

  @ParameterizedTest
  @CsvSource({
    "1, BIGINT, false, SPREAD",
    "2, BIGINT, true, SPREAD",
    "3, HUGEINT, true, ARRIVAL",
    "4, HUGEINT, false, ARRIVAL",
    "5, BIGINT, true, ARRIVAL"
  })
  void keepsTheFirstGroups(long seed, String type, boolean hasSpread, Accounting accounting)
      throws SQLException {
    make(type);
    Random random = new Random(seed);
    for (int round = 0; round < 6; round++) {
      int keep = 1 + random.nextInt(30);
      List<Row> rows = rows(random, hasSpread);
      for (String table : List.of(STORED, FOLDED, RollupCatalog.REST)) {
        statement.execute("DELETE FROM " + table);
      }
      statement.execute(
          "INSERT INTO %s VALUES %s"
              .formatted(FOLDED, rows.stream().map(Row::sql).collect(Collectors.joining(", "))));
      new RollupPruner("flows", keep, accounting)
          .store(statement, SET, Grain.MINUTE, FOLDED, rows.size(), false);
      Set<Group> kept = kept(rows, lots(), keep, accounting);
      assertThat(stored())
          .as("seed %d, round %d: %d of", seed, round, keep)
          .containsExactlyInAnyOrderElementsOf(
              rows.stream().filter(row -> kept.contains(row.group)).map(Row::sql).toList());
      assertThat(rest()).isEqualTo(rest(rows, kept));
    }
  }

  private static List<Row> rows(Random random, boolean hasSpread) {
    List<Row> rows = new ArrayList<>();
    Set<List<Object>> seen = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      Group group =
          new Group(
              60_000_000L * random.nextInt(4),
              random.nextInt(9) == 0 ? null : random.nextInt(8) - 3,
              random.nextInt(9) == 0 ? null : "b" + random.nextInt(12));
      boolean spread = hasSpread && random.nextInt(3) == 0;
      List<Long> sums = new ArrayList<>();
      for (int sum = 0; sum < SUMS; sum++) {
        sums.add(random.nextInt(20) == 0 ? null : random.nextInt(6) - 1L);
      }
      if (seen.add(List.of(group, spread))) {
        rows.add(new Row(group, spread, sums));
      }
    }
    return rows;
  }

  private Map<Group, Long> lots() throws SQLException {
    Map<Group, Long> lots = new HashMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT epoch_us(bucket), a, b, " + LOT + " FROM " + FOLDED + " g")) {
      while (rows.next()) {
        lots.put(Group.read(rows), rows.getLong(4));
      }
    }
    return lots;
  }

  private static Set<Group> kept(
      List<Row> rows, Map<Group, Long> lots, int keep, Accounting accounting) {
    Set<Group> kept = new HashSet<>();
    Map<Long, Set<Group>> buckets =
        rows.stream()
            .map(Row::group)
            .collect(Collectors.groupingBy(Group::bucket, Collectors.toSet()));
    for (int sum : new int[] {SCALED_BYTES, SCALED_PACKETS}) {
      Map<Group, Long> ranks =
          rows.stream()
              .collect(
                  Collectors.groupingBy(
                      Row::group,
                      Collectors.summingLong(
                          row ->
                              row.spread && accounting == Accounting.ARRIVAL ? 0 : row.sum(sum))));
      Comparator<Group> order =
          Comparator.<Group, Long>comparing(ranks::get).reversed().thenComparing(lots::get);
      for (Collection<Group> groups : buckets.values()) {
        groups.stream().sorted(order).limit(keep).forEach(kept::add);
      }
    }
    return kept;
  }

  private List<String> stored() throws SQLException {
    List<String> stored = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery("SELECT epoch_us(bucket), * EXCLUDE bucket FROM " + STORED)) {
      while (rows.next()) {
        List<Long> sums = new ArrayList<>();
        for (int i = 0; i < SUMS; i++) {
          String sum = rows.getString(5 + i);
          sums.add(sum == null ? null : Long.valueOf(sum));
        }
        stored.add(new Row(Group.read(rows), rows.getBoolean(4), sums).sql());
      }
    }
    return stored;
  }

  /** Sums and bounds, by bucket and accounting. */
  private Map<String, List<Long>> rest() throws SQLException {
    StringBuilder sums = new StringBuilder();
    for (String prefix : List.of("", "bound_")) {
      for (String sum : RollupCatalog.SUMS) {
        sums.append(", coalesce(sum(\"").append(prefix).append(sum).append("\"), 0)::BIGINT");
      }
    }
    Map<String, List<Long>> rest = new TreeMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT epoch_us(bucket), spread%s FROM %s WHERE table_name = 'flows' AND set_name = 'x' AND grain = 'MINUTE' GROUP BY ALL"
                .formatted(sums, RollupCatalog.REST))) {
      while (rows.next()) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < 2 * SUMS; i++) {
          values.add(rows.getLong(3 + i));
        }
        rest.put(rows.getLong(1) + " " + rows.getBoolean(2), values);
      }
    }
    return rest;
  }

  private static Map<String, List<Long>> rest(List<Row> rows, Set<Group> kept) {
    Map<String, List<Long>> rest = new TreeMap<>();
    Map<Group, List<Row>> dropped =
        rows.stream()
            .filter(row -> !kept.contains(row.group))
            .collect(Collectors.groupingBy(Row::group, LinkedHashMap::new, Collectors.toList()));
    dropped.forEach(
        (group, its) -> {
          for (Row row : its) {
            List<Long> sums = values(rest, group.bucket, row.spread);
            for (int i = 0; i < SUMS; i++) {
              sums.set(i, sums.get(i) + row.sum(i));
            }
          }
          List<Long> bounds = values(rest, group.bucket, false);
          for (int i = 0; i < SUMS; i++) {
            int sum = i;
            ToLongFunction<Row> value = row -> row.sum(sum);
            long all = its.stream().mapToLong(value).sum();
            long arrived = its.stream().filter(row -> !row.spread).mapToLong(value).sum();
            bounds.set(SUMS + i, Math.max(bounds.get(SUMS + i), Math.max(all, arrived)));
          }
        });
    return rest;
  }

  private static List<Long> values(Map<String, List<Long>> rest, long bucket, boolean spread) {
    return rest.computeIfAbsent(
        bucket + " " + spread, key -> new ArrayList<>(Collections.nCopies(2 * SUMS, 0L)));
  }

  @Test
  void keepsMoreThanAHeapHolds() throws SQLException {
    make("BIGINT");
    int keep = 1_000_000;
    long groups = keep + 100L;
    statement.execute(
        "INSERT INTO %s SELECT make_timestamp(0), i::INTEGER, NULL, false, 1, 1, i, 7, 7 FROM range(%d) t(i)"
            .formatted(FOLDED, groups));
    RollupPruner pruner = new RollupPruner("flows", keep, Accounting.SPREAD);
    pruner.store(statement, SET, Grain.MINUTE, FOLDED, groups, true);
    String first = "SELECT a FROM " + FOLDED + " g ORDER BY " + LOT + " LIMIT " + keep;
    assertThat(
            SqlRows.number(
                connection, "SELECT count(*) FROM " + STORED + " WHERE a IN (" + first + ")"))
        .isEqualTo(SqlRows.number(connection, "SELECT count(*) FROM " + STORED))
        .isEqualTo(keep);
    statement.execute("DELETE FROM " + STORED);
    statement.execute("UPDATE " + FOLDED + " SET scaled_packets = bytes, scaled_bytes = bytes");
    pruner.store(statement, SET, Grain.MINUTE, FOLDED, groups, true);
    assertThat(SqlRows.number(connection, "SELECT min(a) FROM " + STORED)).isEqualTo(100);
    assertThat(SqlRows.number(connection, "SELECT count(*) FROM " + STORED)).isEqualTo(keep);
  }
}
