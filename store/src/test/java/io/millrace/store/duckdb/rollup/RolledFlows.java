package io.millrace.store.duckdb.rollup;

import io.millrace.store.Boundaries;
import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import io.millrace.store.Flows;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.offsets.CoveredRows;
import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.results.ResultLayout;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowParts;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.Macros;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.duckdb.top.TopMemory;
import io.millrace.store.duckdb.top.TopSource;
import io.millrace.store.iceberg.IcebergHistory;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Random flows in an in-memory database, with rollups made from them by one plain GROUP BY each:
 * the results that any maintenance of rollups must reach. Some rows are not rolled up yet, some are
 * late, and bytes, rates and addresses are sometimes NULL.
 */
public final class RolledFlows implements AutoCloseable {
  /** Midnight before the rows. */
  public static final long START = 1_700_006_400_000_000L;

  private static final long MINUTE = Grain.MINUTE.micros();
  private static final int HOURS = 54;

  private static final List<String> COLUMNS =
      List.of(
          "time",
          "exporter",
          "src_addr",
          "dst_addr",
          "proto",
          "dst_port",
          "bytes",
          "packets",
          "sampling_rate",
          "in_if",
          "out_if",
          "log_partition",
          "log_offset",
          "log_index",
          "src_as",
          "src_as_name",
          "dst_as",
          "dst_as_name",
          "flow_start",
          "flow_end");

  private static final Set<String> TIMES = Set.of("time", "flow_start", "flow_end");

  /** An AS and its name. */
  private static final List<Long> NONE = Collections.nCopies(2, null);

  public final DuckDBConnection root;
  public final Map<String, FlowView> views = new ConcurrentHashMap<>();
  public final Queries queries;

  /** Whether spilled data of queries takes disk space that is needed. */
  public volatile boolean isSpillShort;

  /** Whether queries keep too many rows in memory. */
  public volatile boolean isTailHeld;

  public final TopMemory memory = new TopMemory();
  private final Random random;

  private final Path files = temporary();
  private TableRollups keeper;
  private long firstOffset;
  private volatile long removedBefore = Long.MIN_VALUE;

  /** With rollups made by one GROUP BY each, which count rows on arrival. */
  public RolledFlows(long seed, int rows, boolean hasNulls) throws SQLException {
    this(seed, rows, hasNulls, null);
  }

  /**
   * @param kept configuration of rollups that the store maintains; null for one GROUP BY each
   */
  public RolledFlows(long seed, int rows, boolean hasNulls, RollupConfig kept) throws SQLException {
    random = new Random(seed);
    root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    execute("ATTACH ':memory:' AS millrace");
    execute("USE millrace");
    execute("CREATE SCHEMA raw");
    execute("CREATE TABLE main.names(id BIGINT, name VARCHAR)");
    execute(
        "CREATE TABLE raw.frontiers(table_name VARCHAR, log_partition INTEGER, next_offset"
            + " BIGINT)");
    committed(990, 1_000);
    for (String macro : Macros.create(new Boundaries(Map.of()))) {
      execute(macro);
    }
    for (String state : RollupCatalog.create()) {
      execute(state);
    }
    for (String state : SampleTables.create()) {
      execute(state);
    }
    for (String state : CommitMark.create()) {
      execute(state);
    }
    execute(RollupRules.create());
    for (int id = 0; id < 40; id++) {
      execute("INSERT INTO main.names VALUES (" + id + ", 'Name " + id + "')");
    }
    ResultLayout.open(root, DeviceNames.TABLE.name(), DeviceNames.SCHEMA);
    FlowSchema schema = Flows.SCHEMA;
    Map<FlowPart, FlowLayout> layouts = FlowParts.layouts(schema);
    for (Map.Entry<FlowPart, FlowLayout> part : layouts.entrySet()) {
      execute(
          "CREATE TABLE %s (%s)"
              .formatted(
                  Catalog.raw(part.getKey().tableName("flows")),
                  part.getValue().columns().stream()
                      .map(RolledFlows::definition)
                      .collect(Collectors.joining(", "))));
    }
    for (FlowPart part : FlowPart.values()) {
      String stored = part.tableName("flows");
      execute(
          "CREATE VIEW %s AS SELECT f.* FROM %s f JOIN raw.frontiers c USING (log_partition) WHERE f.log_offset < c.next_offset"
              .formatted(Catalog.raw(Catalog.committed(stored)), Catalog.raw(stored)));
    }
    for (String view : FlowParts.createViews("flows", layouts)) {
      execute(view);
    }
    for (FlowView view : FlowView.of("flows", layouts.get(FlowPart.RECORDS))) {
      execute(view.create());
      views.put(view.name(), view);
    }
    queries =
        new Queries(
            root,
            StoreConfig.defaults(),
            views,
            Set.of(),
            Set.of(),
            CommitMemory.UNSHARED,
            () -> isSpillShort,
            () -> isTailHeld,
            connection -> new TableRows(connection, removedBefore));
    for (FlowPart part : FlowPart.values()) {
      fill(part, part == FlowPart.PACKETS ? rows * 2 / 3 : rows / 3, hasNulls);
    }
    if (kept == null) {
      fillRollups();
    } else {
      keeper =
          new TableRollups(
              root.duplicate(),
              CommitMemory.UNSHARED,
              "flows",
              layouts,
              views.get("flows"),
              new Frontier(Map.of(0, 850 + random.nextLong(150), 1, 850 + random.nextLong(150))),
              connection -> new TableRows(connection, removedBefore),
              new SealedSums("flows", List.of(), 0),
              history(),
              kept,
              rows / 3,
              () -> {},
              () -> System.currentTimeMillis() * 1_000);
      keeper.rollUp();
    }
  }

  private static String definition(FlowLayout.Column column) {
    return column.isAddress()
        ? "%s, %s UUID AS (%s::UUID)"
            .formatted(
                column.definition(),
                Catalog.quoted(FlowLayout.stored(column.name())),
                Catalog.quoted(column.name()))
        : column.definition();
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("rolled-flows");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files of past days. */
  HistoryTables history() {
    return new IcebergHistory(TableStorage.local(), files, Duration.ofMinutes(15));
  }

  /** Source of queries for the largest groups. */
  public TopSource source(Accounting accounting) {
    return new TopSource(queries, memory, views.get("flows"), Flows.SCHEMA, accounting);
  }

  /** Removes the rows that are not rolled up. */
  public void removeUnrolled() throws SQLException {
    Frontier rolled = keeper.rolled(root, committed());
    for (FlowPart part : FlowPart.values()) {
      execute(
          "DELETE FROM %s WHERE NOT (%s)"
              .formatted(
                  Catalog.raw(part.tableName("flows")), CoveredRows.covers(rolled, "log_offset")));
    }
  }

  /** Removes the rows that are rolled up and arrived before a time, as retention does. */
  public void remove(long beforeMicros) throws SQLException {
    Frontier rolled = keeper.rolled(root, committed());
    for (FlowPart part : FlowPart.values()) {
      execute(
          "DELETE FROM %s WHERE time < make_timestamp(%d) AND %s"
              .formatted(
                  Catalog.raw(part.tableName("flows")),
                  beforeMicros,
                  CoveredRows.covers(rolled, "log_offset")));
    }
    removedBefore = beforeMicros;
  }

  /** Adds late and new rows, commits them and rolls them up. */
  public void append(int rows) throws SQLException {
    firstOffset += 1_000;
    for (FlowPart part : FlowPart.values()) {
      fill(part, rows, false);
    }
    committed(2_000, 2_000);
    keeper.committed(new Frontier(Map.of(0, 2_000L, 1, 2_000L)));
    keeper.rollUp();
  }

  private Frontier committed() throws SQLException {
    return StoredFrontier.read(root, "raw.frontiers", "flows");
  }

  /** Sets the committed offsets of the two partitions. */
  private void committed(long first, long second) throws SQLException {
    execute("DELETE FROM raw.frontiers");
    execute(
        "INSERT INTO raw.frontiers VALUES ('flows', 0, %d), ('flows', 1, %d)"
            .formatted(first, second));
  }

  public void execute(String sql) throws SQLException {
    try (Statement statement = root.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Uses the appender, since parsing SQL takes longer than the roll-up. */
  private void fill(FlowPart part, int rows, boolean hasNulls) throws SQLException {
    List<String> columns =
        part == FlowPart.PACKETS ? COLUMNS.subList(0, COLUMNS.indexOf("flow_start")) : COLUMNS;
    execute("CREATE TEMP TABLE made(" + String.join(" BIGINT, ", columns) + " BIGINT)");
    try (DuckDBAppender made = root.createAppender("temp", "main", "made")) {
      for (int i = 0; i < rows; i++) {
        made.beginRow();
        for (Long value : row(part, i, rows, hasNulls)) {
          if (value == null) {
            made.appendNull();
          } else {
            made.append(value.longValue());
          }
        }
        made.endRow();
      }
    }
    execute(
        "INSERT INTO %s(%s) SELECT * REPLACE (%s) FROM made"
            .formatted(
                Catalog.raw(part.tableName("flows")),
                String.join(", ", columns),
                columns.stream()
                    .filter(TIMES::contains)
                    .map(column -> "make_timestamp(%1$s) AS %1$s".formatted(column))
                    .collect(Collectors.joining(", "))));
    execute("DROP TABLE made");
  }

  private List<Long> row(FlowPart part, int i, int rows, boolean hasNulls) {
    List<Long> row = new ArrayList<>();
    double place = Math.sqrt((double) i / rows);
    long time = START + (long) (place * HOURS * 60 * MINUTE);
    if (random.nextInt(50) == 0) {
      time -= random.nextInt(300) * MINUTE; // late
    }
    if (random.nextInt(20) == 0) {
      time = Grain.MINUTE.bucket(time);
    }
    long as = skewed(30);
    row.add(time);
    row.add(skewed(2));
    row.add(rare(10) ? null : address());
    row.add(address());
    row.add(rare(2) ? 6L : 17L);
    row.add(rare(9) ? null : skewed(1000));
    row.add(hasNulls && rare(9) ? null : 40L + random.nextInt(1460));
    row.add(1L + random.nextInt(3));
    row.add(hasNulls && rare(9) ? null : rare(2) ? 1L : 1000L);
    row.add(skewed(4));
    row.add(skewed(4));
    row.add((long) random.nextInt(3));
    row.add(firstOffset + i * 1000L / rows);
    row.add((long) i);
    row.addAll(rare(7) ? NONE : List.of(as, as % 40));
    row.addAll(rare(7) ? NONE : List.of(as % 5, as % 5));
    if (part != FlowPart.PACKETS) {
      addDuration(row, time);
    }
    return row;
  }

  /** Start and end of a flow that arrives at a time; some are missing or impossible. */
  private void addDuration(List<Long> row, long arrival) {
    long end = arrival + (rare(20) ? 1_000_000L : -1_000_000L) * random.nextInt(400);
    long start = end - (rare(3) ? 0 : random.nextInt(900) * 777_777L);
    if (rare(20)) {
      end = Grain.MINUTE.bucket(end);
    }
    row.add(rare(9) ? null : start);
    row.add(rare(9) ? null : end);
  }

  private long skewed(int values) {
    return (long) (values * Math.pow(random.nextDouble(), 3));
  }

  private boolean rare(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private long address() {
    return 281470681743360L + 0xC0000200L + skewed(300);
  }

  private void fillRollups() throws SQLException {
    long[] next = {850 + random.nextInt(150), 850 + random.nextInt(150)};
    String rolled =
        "CASE log_partition WHEN 0 THEN log_offset < %d WHEN 1 THEN log_offset < %d ELSE false END"
            .formatted(next[0], next[1]);
    long end = START + HOURS * 60 * MINUTE;
    long minutes = end - random.nextInt(100) * MINUTE;
    long fives = Grain.FIVE.bucket(minutes - random.nextInt(30) * MINUTE);
    long hours = Grain.HOUR.bucket(fives - random.nextInt(90) * MINUTE);
    long days = Grain.DAY.bucket(hours);
    List<RollupSet> sets = new ArrayList<>(RollupSet.DEFAULTS);
    sets.removeIf(set -> List.of("domain", "as", "member").contains(set.name()));
    sets.add(new RollupSet("as", List.of("src_as", "src_as_name", "dst_as", "dst_as_name")));
    sets.add(new RollupSet("protocol", List.of("proto")));
    for (RollupSet set : sets) {
      execute(
          "INSERT INTO %s VALUES ('flows', '%s', '%s', (SELECT epoch_us(max(time)) FROM %s WHERE %s))"
              .formatted(
                  RollupCatalog.SETS,
                  set.name(),
                  String.join(",", set.columns()),
                  Catalog.rows("flows"),
                  rolled));
      for (int p = 0; p < 2; p++) {
        execute(
            "INSERT INTO %s VALUES ('flows', '%s', %d, %d)"
                .formatted(RollupCatalog.FRONTIERS, set.name(), p, next[p]));
      }
      fill(
          set,
          rolled,
          RollupCatalog.open("flows", set.name()),
          Grain.MINUTE,
          hours,
          Long.MAX_VALUE);
      fill(set, rolled, RollupCatalog.openHours("flows", set.name()), Grain.HOUR, days, hours);
      for (Grain grain : Grain.values()) {
        long complete =
            switch (grain) {
              case MINUTE -> minutes;
              case FIVE -> fives;
              case HOUR -> hours;
              case DAY -> days;
            };
        execute(
            "INSERT INTO %s VALUES ('flows', '%s', '%s', %d, %d)"
                .formatted(RollupCatalog.GRAINS, set.name(), grain, Long.MIN_VALUE, complete));
        fill(
            set,
            rolled,
            RollupCatalog.stored("flows", set.name(), grain),
            grain,
            Long.MIN_VALUE,
            complete);
      }
    }
  }

  private void fill(RollupSet set, String rolled, String table, Grain grain, long from, long to)
      throws SQLException {
    String bucket = "make_timestamp((epoch_us(time) // %1$d) * %1$d)".formatted(grain.micros());
    execute(
        "CREATE TABLE %s AS SELECT %s AS bucket, %s, false AS spread, count(*) AS \"rows\", sum(packets)::BIGINT AS packets, sum(bytes)::BIGINT AS bytes, sum(packets * coalesce(sampling_rate, 1))::BIGINT AS scaled_packets, sum(bytes * coalesce(sampling_rate, 1))::BIGINT AS scaled_bytes FROM %s WHERE %s AND epoch_us(time) >= %d AND epoch_us(time) < %d GROUP BY ALL"
            .formatted(
                table,
                bucket,
                String.join(", ", new LinkedHashSet<>(set.columns())),
                Catalog.rows("flows"),
                rolled,
                from,
                to));
  }

  @Override
  public void close() throws SQLException {
    queries.close();
    if (keeper != null) {
      keeper.close();
    }
    root.close();
    new IcebergHistory(TableStorage.local(), files.getParent(), Duration.ZERO)
        .drop(files.getFileName().toString());
  }
}
