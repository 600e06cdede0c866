package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Seeds;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rollups equal the sums of single rows after any sequence of roll-ups of any size, late rows, long
 * flows, checkpoints, replays after rewinds, reopenings, and new sets.
 */
class RollupsPropertyIT {
  private static final long START = 1_700_000_000_000_000L;
  private static final Duration LONGEST_FLOW = Duration.ofMinutes(50);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(2);

  @TempDir Path directory;

  private DuckDbStore store;
  private FlowTable table;
  private final List<RollupModel.Row> rows = new ArrayList<>();
  private final Map<Integer, Long> next = new TreeMap<>();
  private final List<Frontier> checkpoints = new ArrayList<>(List.of(Frontier.EMPTY));
  private long now = START;

  static LongStream seeds() {
    return Seeds.of(1, 2);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void sumsEqualThoseOfTheRows(long seed) {
    Random random = new Random(seed);
    Accounting accounting = seed % 2 == 0 ? Accounting.ARRIVAL : Accounting.SPREAD;
    Map<String, List<String>> sets = new TreeMap<>();
    open(random, accounting, sets);
    for (int step = 0; step < 16; step++) {
      switch (random.nextInt(10)) {
        case 0 -> rewind(random);
        case 1 -> {
          if (sets.isEmpty()) {
            sets.put("in", List.of("in_if", "proto"));
          }
          store.close();
          open(random, accounting, sets);
        }
        case 2, 3, 4 -> {
          store.rollUp();
          compare(accounting, sets);
        }
        default -> write(random);
      }
    }
    store.rollUp();
    compare(accounting, sets);
    store.close();
  }

  private void open(Random random, Accounting accounting, Map<String, List<String>> sets) {
    store =
        new DuckDbStore(
            directory,
            StoreConfig.defaults(),
            RollupConfig.DEFAULT
                .withKeep(10)
                .withAccounting(accounting)
                .withSets(sets)
                .withLongestFlow(LONGEST_FLOW)
                .withLongestDelay(LONGEST_DELAY),
            5 + random.nextInt(60),
            null);
    table = store.table(Store.FLOWS, new FlowSchema(List.of()));
  }

  private void write(Random random) {
    boolean hasRecords = random.nextInt(3) > 0; // hours with only packets may be folded at once
    try (FlowWriter writer = table.writer()) {
      for (int n = random.nextInt(10); n > 0; n--) {
        int partition = random.nextInt(3);
        long offset = next.getOrDefault(partition, 0L) + (random.nextInt(5) == 0 ? 7 : 0);
        next.put(partition, offset + 1);
        now += random.nextLong(hasRecords ? 900_000_000L : 3_600_000_000L);
        List<RollupModel.Row> some =
            RollupModel.rows(random, partition, offset, now, hasRecords && random.nextBoolean());
        rows.addAll(some);
        writer.append(RollupModel.block(some));
      }
      writer.flush();
    }
    Frontier frontier = new Frontier(next);
    checkpoints.add(frontier);
    table.committed(frontier);
  }

  private void rewind(Random random) {
    Frontier to = checkpoints.get(random.nextInt(checkpoints.size()));
    table.rewind(to);
    Map<List<Long>, List<RollupModel.Row>> again = new LinkedHashMap<>();
    rows.stream()
        .filter(row -> !to.covers(row.partition(), row.offset()))
        .forEach(
            row ->
                again
                    .computeIfAbsent(
                        List.of((long) row.partition(), row.offset()), key -> new ArrayList<>())
                    .add(row));
    try (FlowWriter writer = table.writer()) {
      again.values().forEach(some -> writer.append(RollupModel.block(some)));
      writer.flush();
    }
  }

  private void compare(Accounting accounting, Map<String, List<String>> sets) {
    Map<String, List<String>> all = new TreeMap<>(sets);
    all.put("port", List.of("dst_port", "proto"));
    all.forEach(
        (set, columns) -> {
          for (Grain grain : Grain.values()) {
            assertThat(view(set, columns, grain))
                .as("%s by %s", set, grain)
                .isEqualTo(
                    RollupModel.sums(
                        rows,
                        columns,
                        grain,
                        Long.MIN_VALUE,
                        accounting == Accounting.SPREAD,
                        LONGEST_FLOW.toNanos() / 1_000,
                        LONGEST_DELAY.toNanos() / 1_000));
          }
        });
  }

  private static String view(String set, Grain grain) {
    return "flows_" + grain.label() + "_" + set;
  }

  private static String quoted(List<String> columns) {
    return '"' + String.join("\", \"", columns) + '"';
  }

  private List<String> view(String set, List<String> columns, Grain grain) {
    List<String> lines = new ArrayList<>();
    String sql =
        "SELECT epoch_us(bucket), %s, %s FROM %s"
            .formatted(quoted(columns), quoted(RollupCatalog.SUMS), view(set, grain));
    try (QueryResult result =
        store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1_000_000))) {
      while (result.next()) {
        List<String> group = new ArrayList<>();
        List<String> sums = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
          group.add(String.valueOf(result.value(1 + i)));
        }
        for (int i = 0; i < RollupCatalog.SUMS.size(); i++) {
          sums.add(String.valueOf(result.value(1 + columns.size() + i)));
        }
        lines.add(result.value(0) + "|" + group + "|" + sums);
      }
    }
    lines.sort(null);
    return lines;
  }
}
