package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Seeds;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table has the same rows as a plain list after any sequence of writes in any order, late rows,
 * checkpoints, rewinds with replays, removals and reopenings. Its rollups are the sums of all rows
 * that were ever read, each counted once.
 */
class RetentionPropertyIT {
  private static final long START = 1_700_000_000_000_000L;
  private static final Duration AGE = Duration.ofHours(1);
  private static final int PARTITIONS = 3;

  @TempDir Path directory;

  private DuckDbStore store;
  private FlowTable table;
  private long clock = START;

  /** Contents of the log by position, whether read or not. */
  private final Map<Integer, TreeMap<Long, List<RollupModel.Row>>> log = new TreeMap<>();

  /** Next offset to read. */
  private final Map<Integer, Long> next = new TreeMap<>();

  private final Set<RollupModel.Row> removed = new HashSet<>();
  private final List<Frontier> checkpoints = new ArrayList<>(List.of(Frontier.EMPTY));
  private Frontier committed = Frontier.EMPTY;

  private long late;
  private long removals;
  private long before = Long.MIN_VALUE;

  static LongStream seeds() {
    return Seeds.of(1, 2);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rowsAndSumsEqualThoseOfAList(long seed) {
    Random random = new Random(seed);
    open(random);
    for (int step = 0; step < 30; step++) {
      switch (random.nextInt(10)) {
        case 0, 1 -> rewind(random);
        case 2 -> {
          store.close();
          open(random);
          readFrom(committed);
        }
        case 3, 4, 5 -> retain();
        default -> write(random);
      }
      compareRows();
    }
    commit();
    retain();
    compareRows();
    compareSums();
    assertThat(table.retention().rows()).isEqualTo(removals);
    assertThat(table.retention().lateRows()).isEqualTo(late);
    store.close();
  }

  private void open(Random random) {
    store =
        new DuckDbStore(
            directory,
            StoreConfig.defaults().withRetention(new RetentionConfig(AGE, 0)),
            RollupConfig.DEFAULT.withKeep(10),
            5 + random.nextInt(60),
            () -> clock);
    table = store.table(Store.FLOWS, new FlowSchema(List.of()));
  }

  private void write(Random random) {
    try (FlowWriter writer = table.writer()) {
      for (int n = 1 + random.nextInt(12); n > 0; n--) {
        int partition = random.nextInt(PARTITIONS);
        TreeMap<Long, List<RollupModel.Row>> values =
            log.computeIfAbsent(partition, p -> new TreeMap<>());
        Map.Entry<Long, List<RollupModel.Row>> value =
            values.ceilingEntry(next.getOrDefault(partition, 0L));
        if (value == null) {
          long offset = next.getOrDefault(partition, 0L) + (random.nextInt(5) == 0 ? 7 : 0);
          clock += random.nextLong(900_000_000L);
          values.put(
              offset, RollupModel.rows(random, partition, offset, clock, random.nextBoolean()));
          value = values.lastEntry();
        }
        next.put(partition, value.getKey() + 1);
        writer.append(RollupModel.block(value.getValue()));
      }
      writer.flush();
    }
    if (random.nextInt(4) > 0) {
      commit();
    }
  }

  private void commit() {
    checkpoints.add(new Frontier(next));
    committed = committed.union(new Frontier(next));
    table.committed(new Frontier(next));
  }

  private void rewind(Random random) {
    Frontier to = checkpoints.get(random.nextInt(checkpoints.size()));
    table.rewind(to);
    checkpoints.removeIf(frontier -> !frontier.union(to).equals(to));
    readFrom(to);
  }

  private void readFrom(Frontier to) {
    next.clear();
    next.putAll(to.next());
  }

  private List<RollupModel.Row> read() {
    List<RollupModel.Row> read = new ArrayList<>();
    committed
        .union(new Frontier(next))
        .next()
        .forEach(
            (partition, end) -> log.get(partition).headMap(end).values().forEach(read::addAll));
    return read;
  }

  private List<RollupModel.Row> present() {
    List<RollupModel.Row> present = read();
    present.removeIf(removed::contains);
    return present;
  }

  private void retain() {
    store.rollUp();
    store.retain();
    long newest = present().stream().mapToLong(RollupModel.Row::time).max().orElse(clock);
    long old = Math.min(newest, clock) - AGE.toNanos() / 1_000;
    long hour = Grain.HOUR.bucket(old);
    List<RollupModel.Row> gone = present();
    gone.removeIf(row -> row.time() >= hour || !committed.covers(row.partition(), row.offset()));
    late += gone.stream().filter(row -> row.time() < before).count();
    removals += gone.size();
    removed.addAll(gone);
    before = gone.isEmpty() ? before : Math.max(before, hour);
  }

  private void compareRows() {
    List<String> expected =
        new ArrayList<>(
            present().stream()
                .map(row -> row.partition() + "|" + row.offset() + "|" + row.time())
                .toList());
    expected.sort(null);
    assertThat(rows("SELECT time FROM flows ORDER BY time LIMIT 1"))
        .isEqualTo(rows("SELECT min(time) FROM flows HAVING count(*) > 0"));
    assertThat(
            rows("SELECT log_partition || '|' || log_offset || '|' || epoch_us(time) FROM flows"))
        .isEqualTo(expected);
  }

  private void compareSums() {
    Set<RollupModel.Row> all = new HashSet<>(removed);
    all.addAll(read());
    store.rollUp();
    for (Grain grain : Grain.values()) {
      assertThat(
              rows(
                  "SELECT epoch_us(bucket) || '|[' || coalesce(dst_port::VARCHAR, 'null') || ', '"
                      + " || proto || ']|[' || rows || ', ' || packets || ', ' || bytes || ', ' ||"
                      + " scaled_packets || ', ' || scaled_bytes || ']' FROM flows_"
                      + grain.label()
                      + "_port"))
          .as("%s", grain)
          .isEqualTo(
              RollupModel.sums(
                  List.copyOf(all),
                  List.of("dst_port", "proto"),
                  grain,
                  Long.MIN_VALUE,
                  true,
                  RollupConfig.DEFAULT.longestFlow().toNanos() / 1_000,
                  RollupConfig.DEFAULT.longestDelay().toNanos() / 1_000));
    }
  }

  private List<String> rows(String sql) {
    List<String> rows = AnswerRows.of(store, sql);
    rows.sort(null);
    return rows;
  }
}
