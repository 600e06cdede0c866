package io.millrace.lab.micro;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Keyed state of 256 MiB: how long a snapshot pauses the analyzer, and the rates of writing,
 * restoring and look-ups.
 */
public final class StateBenchmark extends Benchmark {
  private static final int STATE_BYTES = 256 << 20;
  private static final int VALUES = 2;

  /** Hash, key, values. */
  private static final int ENTRY_BYTES = Integer.BYTES + Long.BYTES + VALUES * Long.BYTES;

  private static final int ENTRIES = STATE_BYTES / ENTRY_BYTES;
  private static final int ROUNDS = 12;
  private static final int LOOK_UPS = 10_000_000;

  public StateBenchmark() {
    super("state", "256 MiB of keyed counters: snapshot pause, writing, restoring, look-ups");
  }

  @Override
  public void run(BenchContext context) throws IOException {
    context.progress().accept("filling " + ENTRIES + " keys");
    KeyTable table = new KeyTable(KeyGroups.all(), 1, VALUES);
    for (int i = 0; i < ENTRIES; i++) {
      int entry = table.entry(Hash.of(i), i);
      table.values(0)[entry] = i;
    }
    context.progress().accept("looking keys up");
    lookUps(context, table);
    context.progress().accept("taking snapshots");
    StateSnapshot snapshot = pauses(context, table);
    context.progress().accept("writing and restoring");
    bytes(context, table, snapshot);
  }

  private void lookUps(BenchContext context, KeyTable table) {
    SplittableRandom random = new SplittableRandom(1);
    long[] counts = table.values(1);
    double rate =
        BenchContext.median(
            1,
            3,
            () -> {
              long start = System.nanoTime();
              for (int i = 0; i < LOOK_UPS; i++) {
                long key = random.nextInt(ENTRIES);
                counts[table.find(Hash.of(key), key)]++;
              }
              return LOOK_UPS / ((System.nanoTime() - start) / 1e9);
            });
    WrongResultException.check("counts", 4L * LOOK_UPS, Arrays.stream(counts, 0, ENTRIES).sum());
    context.report(
        Figure.of(name(), "rate", rate, "look-ups").with("keys", ENTRIES).with("threads", 1));
  }

  /**
   * Measures pauses. As with checkpoints, each snapshot is written and released before the next
   * one, which reuses its memory. The keys change in between, so that they are copied too. The
   * first snapshot has to allocate its arrays.
   */
  private StateSnapshot pauses(BenchContext context, KeyTable table) throws IOException {
    BlockBuffer out = new BlockBuffer(1 << 20);
    long first = System.nanoTime();
    StateSnapshot snapshot = table.snapshot();
    context.report(pause("first_ms", (System.nanoTime() - first) / 1e6));
    double[] millis = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      out.clear();
      snapshot.write(0, out); // sorts the columns of all groups
      snapshot.release();
      int last = table.size() - 1;
      long key = table.key(last, 0);
      table.remove(last);
      table.entry(Hash.of(key), key);
      long start = System.nanoTime();
      snapshot = table.snapshot();
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    context.report(pause("p50_ms", BenchContext.median(millis)));
    context.report(
        pause("max_ms", Arrays.stream(millis).max().orElseThrow())
            .aiming(Figure.Target.atMost(100)));
    return snapshot;
  }

  private Figure pause(String metric, double millis) {
    return Figure.of("state.pause", metric, millis, "ms")
        .with("state_mib", STATE_BYTES >> 20)
        .with("rounds", ROUNDS);
  }

  private void bytes(BenchContext context, KeyTable table, StateSnapshot snapshot)
      throws IOException {
    BlockBuffer out = new BlockBuffer(1 << 20);
    KeyTable restored = new KeyTable(KeyGroups.all(), 1, VALUES);
    long bytes = 0;
    long writing = 0;
    long reading = 0;
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      long start = System.nanoTime();
      out.clear();
      snapshot.write(group, out);
      long written = System.nanoTime();
      restored.restore(new BlockInput(out.bytes(), 0, out.length()));
      writing += written - start;
      reading += System.nanoTime() - written;
      bytes += out.length();
    }
    WrongResultException.check("keys restored", table.size(), restored.size());
    context.report(
        Figure.of("state.write", "rate", STATE_BYTES / (writing / 1e9), "bytes")
            .with("bytes_per_key", bytes / ENTRIES));
    context.report(Figure.of("state.read", "rate", STATE_BYTES / (reading / 1e9), "bytes"));
  }

  @Override
  public List<String> figures() {
    return List.of(name(), "state.pause", "state.write", "state.read");
  }
}
