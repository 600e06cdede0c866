package io.millrace.store.duckdb.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoredCounters;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Runs of a job as the store sees them. Several writers append values of a log, flush at any time,
 * take checkpoints and report them one by one, in any order or not at all; then all are rewound to
 * the last checkpoint or the one before. The model of the counters is the set of values before each
 * writer's position.
 */
class CounterTablesPropertyIT {
  private static final int PARTITIONS = 3;
  private static final int STEPS = 60;
  private static final int KNOWN = 0x0A000001;

  private static Path directory;
  private static Store store;
  private static FlowTable table; // of the current run
  private static long token;
  private static int tables;

  @BeforeContainer
  static void open() throws Exception {
    Path memory = Path.of("/dev/shm"); // each step syncs several times
    directory =
        Files.createTempDirectory(
            Files.isWritable(memory) ? memory : Path.of("target"), "counters");
    LedgerQuota quota =
        new LedgerQuota(
            500, 5_000, Long.MAX_VALUE, Set.of(LedgerQuota.Sender.of(0, Addresses.v4Low(KNOWN))));
    store = new DuckDbStore(directory, StoreConfig.defaults(), RollupConfig.NONE).with(quota);
    openTable();
  }

  private static void openTable() {
    table = store.table("t" + tables++, Flows.SCHEMA);
  }

  @AfterContainer
  static void close() throws IOException {
    store.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 10)
  void countersEqualTheValuesBeforeTheWriters(@ForAll Random random) {
    try (Run run = new Run(random)) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0, 1 -> run.checkpoint();
          case 2 -> run.flush();
          case 3 -> run.rewind();
          default -> run.append();
        }
      }
      run.checkpoint();
    }
  }

  /** If the log was deleted up to the middle of a sum, the sum cannot be exact. */
  @Property(tries = 10)
  void nothingIsCountedTwiceWhereTheLogHasLostItsBeginning(@ForAll Random random) {
    loseTheBeginning(random);
  }

  /** A second rewind to the same checkpoint finds no more of the log. */
  @Property(tries = 7, seed = "-1775884376851571572")
  void aTruncatedLogStaysTruncated(@ForAll Random random) {
    loseTheBeginning(random);
  }

  /** Reads of the counters and checkpoints or rewinds do not wait for each other. */
  @Example
  void countersAreReadWhileTheTableIsLocked() throws Exception {
    synchronized (table) {
      StoredCounters counters =
          CompletableFuture.supplyAsync(table::counters).get(1, TimeUnit.MINUTES);
      assertThat(counters.skipped()).isZero();
    }
  }

  /** Between two flushes, and regardless of checkpoints. */
  @Example
  void senderOfManyAgentsTakesABoundedNumberOfRows() {
    try (Run run = new Run(new Random(1))) {
      FlowBlock block = Flows.bare(0, 0, 0);
      for (int part = 0; part < 20_000; part++) {
        long channel = Channel.of(ExportProtocol.SFLOW, 0, part);
        int exporter = block.counters().exporter(0, Addresses.v4Low(1), 0, 1, channel);
        block.counters().add(exporter, ExporterCounters.DATAGRAMS, 1);
      }
      run.writers.get(0).append(block);
      run.flushAll();
      ExporterCounters counts = table.counters().counts();
      assertThat(counts.size()).isLessThan(3_000);
      long datagrams = 0;
      for (int i = 0; i < counts.size(); i++) {
        datagrams += counts.count(i, ExporterCounters.DATAGRAMS);
      }
      assertThat(datagrams).isEqualTo(20_000);
    }
  }

  /** Also between two flushes, after the maximum number of other exporters. */
  @Example
  void knownSenderHasItsOwnCountersDespiteOthers() {
    try (Run run = new Run(new Random(1))) {
      FlowBlock block = Flows.bare(0, 0, 0);
      long channel = Channel.of(ExportProtocol.SFLOW, 0, 0);
      for (int sender = 0; sender < 21_000; sender++) {
        long low = Addresses.v4Low(sender < 20_999 ? 0x0B000000 + sender : KNOWN);
        int exporter = block.counters().exporter(0, low, 0, 1, channel);
        block.counters().add(exporter, ExporterCounters.DATAGRAMS, 1);
      }
      run.writers.get(0).append(block);
      run.flushAll();
      ExporterCounters counts = table.counters().counts();
      int known = counts.find(0, Addresses.v4Low(KNOWN), 0, 1, channel);
      assertThat(known).isNotNegative();
      assertThat(counts.count(known, ExporterCounters.DATAGRAMS)).isEqualTo(1);
      assertThat(counts.size()).isLessThan(20_100);
    }
  }

  private static void loseTheBeginning(Random random) {
    try (Run run = new Run(random)) {
      for (int round = 0; round < 4; round++) {
        for (int step = 0; step < 15; step++) {
          switch (random.nextInt(8)) {
            case 0 -> run.checkpoint();
            case 1 -> run.flush();
            default -> run.append();
          }
        }
        run.flushAll();
        run.loseTheBeginning();
        run.rewind();
      }
    }
  }

  private static final class Run implements AutoCloseable {
    private final Random random;
    private final long[] next = new long[PARTITIONS];
    private final long[] kept = new long[PARTITIONS];
    private final List<FlowWriter> writers = new ArrayList<>();
    private final List<Map<Integer, Long>> seen = new ArrayList<>();

    /** The last two checkpoints, newest last, as jobs keep them. */
    private final List<Frontier> checkpoints = new ArrayList<>(List.of(Frontier.EMPTY));

    /** Whether the log still has all values that rewinds needed. */
    private boolean isWhole = true;

    /** Start of the log, which only advances. */
    private Frontier logBegins = Frontier.EMPTY;

    private long checkpointId;

    Run(Random random) {
      this.random = random;
      openTable();
      begin(Frontier.EMPTY);
    }

    private void begin(Frontier from) {
      table.rewind(++token, from);
      for (int i = 0; i < 2 + random.nextInt(2); i++) {
        writers.add(table.writer(token));
        seen.add(new TreeMap<>(from.next()));
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        next[partition] = from.next(partition);
        kept[partition] = Math.max(next[partition], table.committed().next(partition));
      }
    }

    /** Number of counted values: committed ones stay, even if they are replayed. */
    private long counted(int partition) {
      return Math.max(next[partition], kept[partition]);
    }

    void append() {
      int partition = random.nextInt(PARTITIONS);
      int writer = random.nextInt(writers.size());
      long offset = next[partition]++;
      FlowBlock block = Flows.bare(random.nextInt(3), partition, offset);
      long channel = Channel.of(ExportProtocol.SFLOW, 6343, partition);
      int exporter = block.counters().exporter(0, partition + 1, 0, partition + 1, channel);
      block.counters().add(exporter, ExporterCounters.DATAGRAMS, datagrams(offset));
      writers.get(writer).append(block);
      seen.get(writer).put(partition, offset + 1);
    }

    private static long datagrams(long offset) {
      return 1 + offset * offset % 97;
    }

    void flush() {
      writers.get(random.nextInt(writers.size())).flush();
    }

    void flushAll() {
      writers.forEach(FlowWriter::flush);
    }

    void checkpoint() {
      flushAll();
      check();
      checkpointId++;
      Frontier covered = Frontier.EMPTY;
      for (int i = 0; i < writers.size(); i++) {
        Frontier its = new Frontier(seen.get(i));
        covered = covered.union(its);
        writers.get(i).seal(checkpointId, its);
      }
      writers.forEach(FlowWriter::sync);
      if (checkpoints.size() == 2) {
        checkpoints.remove(0);
      }
      checkpoints.add(covered);
      for (FlowWriter writer : writers) {
        if (random.nextInt(3) == 0) {
          writer.commit(checkpointId, covered);
        }
      }
      check();
    }

    void rewind() {
      if (checkpoints.size() > 1 && random.nextInt(3) == 0) {
        checkpoints.remove(checkpoints.size() - 1);
      }
      Frontier to = checkpoints.get(checkpoints.size() - 1).union(logBegins);
      writers.forEach(FlowWriter::close);
      writers.clear();
      seen.clear();
      begin(to);
      isWhole &= logBegins.next().isEmpty();
      check();
    }

    /** Deletes the log up to random positions after the last checkpoint. */
    void loseTheBeginning() {
      Frontier last = checkpoints.get(checkpoints.size() - 1).union(logBegins);
      Map<Integer, Long> begins = new TreeMap<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        long from = last.next(partition);
        begins.put(partition, from + random.nextInt((int) (next[partition] - from) + 1));
      }
      logBegins = new Frontier(begins);
    }

    /** Requires that all writers are flushed. */
    private void check() {
      if (isWhole) {
        assertExact();
      } else {
        assertNothingTwice();
      }
    }

    private void assertExact() {
      StoredCounters counters = table.counters();
      long values = 0;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        values += counted(partition);
        assertThat(datagrams(counters, partition)).isEqualTo(expectedDatagrams(partition));
      }
      assertThat(counters.values()).isEqualTo(values);
      assertThat(counters.skipped()).isZero();
    }

    private void assertNothingTwice() {
      StoredCounters counters = table.counters();
      long values = 0;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        values += counted(partition);
        assertThat(datagrams(counters, partition))
            .isLessThanOrEqualTo(expectedDatagrams(partition));
      }
      assertThat(counters.values() + counters.skipped()).isLessThanOrEqualTo(values);
      assertThat(counters.values()).isLessThanOrEqualTo(values);
    }

    private long expectedDatagrams(int partition) {
      long sum = 0;
      for (long offset = 0; offset < counted(partition); offset++) {
        sum += datagrams(offset);
      }
      return sum;
    }

    private static long datagrams(StoredCounters counters, int partition) {
      long sum = 0;
      for (int i = 0; i < counters.counts().size(); i++) {
        if (counters.counts().senderLow(i) == partition + 1) {
          sum += counters.counts().count(i, ExporterCounters.DATAGRAMS);
        }
      }
      return sum;
    }

    @Override
    public void close() {
      writers.forEach(FlowWriter::close);
    }
  }
}
