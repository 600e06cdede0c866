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
 * A job's life as the store sees it: several writers append values of a log in which each has its
 * place, flush when they like, take checkpoints and tell of them one by one, in any order or not at
 * all; then all goes back to the last checkpoint or the one before. The model of the counters is
 * the set of the values that lie in front.
 */
class CounterTablesPropertyIT {
  private static final int PARTITIONS = 3;
  private static final int STEPS = 60;
  private static final int KNOWN = 0x0A000001;

  private static Path directory;
  private static Store store;
  private static FlowTable table; // of the present life
  private static long token;
  private static int tables;

  @BeforeContainer
  static void open() throws Exception {
    Path memory = Path.of("/dev/shm"); // each step waits for the disk some times
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
  void countersAreThoseOfTheValuesInFront(@ForAll Random random) {
    try (Life life = new Life(random)) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(12)) {
          case 0, 1 -> life.checkpoint();
          case 2 -> life.flush();
          case 3 -> life.rewind();
          default -> life.append();
        }
      }
      life.checkpoint();
    }
  }

  /** Where the log was deleted up to the middle of a sum, nothing exact can be had of the sum. */
  @Property(tries = 10)
  void nothingIsCountedTwiceWhereTheLogHasLostItsBeginning(@ForAll Random random) {
    loseTheBeginning(random);
  }

  /** A job that goes back twice to the same checkpoint finds no more of the log the second time. */
  @Property(tries = 7, seed = "-1775884376851571572")
  void logThatLosesItsBeginningNeverGetsItBack(@ForAll Random random) {
    loseTheBeginning(random);
  }

  /** Who asks for the counts does not wait for a checkpoint or a rewind, nor they for him. */
  @Example
  void countersAreReadWhileTheTableIsLocked() throws Exception {
    synchronized (table) {
      StoredCounters counters =
          CompletableFuture.supplyAsync(table::counters).get(1, TimeUnit.MINUTES);
      assertThat(counters.skipped()).isZero();
    }
  }

  /** Between two flushes, and whatever checkpoints do. */
  @Example
  void senderOfManyAgentsTakesABoundedNumberOfRows() {
    try (Life life = new Life(new Random(1))) {
      FlowBlock block = Flows.bare(0, 0, 0);
      for (int part = 0; part < 20_000; part++) {
        long channel = Channel.of(ExportProtocol.SFLOW, 0, part);
        int exporter = block.counters().exporter(0, Addresses.v4Low(1), 0, 1, channel);
        block.counters().add(exporter, ExporterCounters.DATAGRAMS, 1);
      }
      life.writers.get(0).append(block);
      life.flushAll();
      ExporterCounters counts = table.counters().counts();
      assertThat(counts.size()).isLessThan(3_000);
      long datagrams = 0;
      for (int i = 0; i < counts.size(); i++) {
        datagrams += counts.count(i, ExporterCounters.DATAGRAMS);
      }
      assertThat(datagrams).isEqualTo(20_000);
    }
  }

  /** Also between two flushes, after as many others as are told apart there. */
  @Example
  void knownSenderHasCountersOfItsOwnWhoeverElseSends() {
    try (Life life = new Life(new Random(1))) {
      FlowBlock block = Flows.bare(0, 0, 0);
      long channel = Channel.of(ExportProtocol.SFLOW, 0, 0);
      for (int sender = 0; sender < 21_000; sender++) {
        long low = Addresses.v4Low(sender < 20_999 ? 0x0B000000 + sender : KNOWN);
        int exporter = block.counters().exporter(0, low, 0, 1, channel);
        block.counters().add(exporter, ExporterCounters.DATAGRAMS, 1);
      }
      life.writers.get(0).append(block);
      life.flushAll();
      ExporterCounters counts = table.counters().counts();
      int known = counts.find(0, Addresses.v4Low(KNOWN), 0, 1, channel);
      assertThat(known).isNotNegative();
      assertThat(counts.count(known, ExporterCounters.DATAGRAMS)).isEqualTo(1);
      assertThat(counts.size()).isLessThan(20_100);
    }
  }

  private static void loseTheBeginning(Random random) {
    try (Life life = new Life(random)) {
      for (int round = 0; round < 4; round++) {
        for (int step = 0; step < 15; step++) {
          switch (random.nextInt(8)) {
            case 0 -> life.checkpoint();
            case 1 -> life.flush();
            default -> life.append();
          }
        }
        life.flushAll();
        life.loseTheBeginning();
        life.rewind();
      }
    }
  }

  private static final class Life implements AutoCloseable {
    private final Random random;
    private final long[] next = new long[PARTITIONS];
    private final long[] kept = new long[PARTITIONS];
    private final List<FlowWriter> writers = new ArrayList<>();
    private final List<Map<Integer, Long>> seen = new ArrayList<>();

    /** The last checkpoints, the newest last: two at most, as jobs keep them. */
    private final List<Frontier> checkpoints = new ArrayList<>(List.of(Frontier.EMPTY));

    /** Whether nothing was lost with the log's beginning. */
    private boolean isWhole = true;

    /** Where the log begins; that never goes back. */
    private Frontier logBegins = Frontier.EMPTY;

    private long checkpointId;

    Life(Random random) {
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

    /** Values that are counted: those that were committed stay, also if they come again. */
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

    /** What is before some place after the last checkpoint cannot be read again. */
    void loseTheBeginning() {
      Frontier last = checkpoints.get(checkpoints.size() - 1).union(logBegins);
      Map<Integer, Long> begins = new TreeMap<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        long from = last.next(partition);
        begins.put(partition, from + random.nextInt((int) (next[partition] - from) + 1));
      }
      logBegins = new Frontier(begins);
    }

    /** Called when all writers are flushed. */
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
