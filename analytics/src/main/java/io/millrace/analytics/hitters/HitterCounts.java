package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.EPOCH;
import static io.millrace.analytics.hitters.HitterSettings.GROUPS;
import static io.millrace.analytics.hitters.HitterSettings.KIND;
import static io.millrace.analytics.hitters.HitterSettings.VARIANCE;
import static io.millrace.analytics.hitters.HitterSettings.WEIGHT;
import static io.millrace.analytics.hitters.HitterSettings.WORDS;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.LateRows;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Counts keys by epoch and kind, and emits the counts when the watermark has passed the epoch.
 *
 * <p>Input: one row for each key of a flow, with columns {@link HitterSettings#EPOCH} (start of the
 * epoch, microseconds since 1970), {@link HitterSettings#KIND} (index in {@link
 * HitterSettings#counted}), the key in {@link HitterKind#words} words of 64 bits from {@link
 * HitterSettings#WORDS} on, {@link HitterSettings#WEIGHT} (bytes or packets, scaled by the sampling
 * rate) and {@link HitterSettings#VARIANCE} of the weight. Output: serialized tables by epoch, kind
 * and key group ({@link EmittedTables}).
 *
 * <p>State is divided by {@linkplain io.millrace.analytics.KeyGroups key group} and moves with the
 * groups at any parallelism. Emitted exact counts, and checkpoints of subtasks that have any keys,
 * are unsorted pieces with keys of any group. Results do not depend on the parallelism: they are
 * exact while the keys fit into the memory, and otherwise have the bounds of the group's sketch.
 *
 * <p>The tables of all open epochs together take at most {@link #FULL_EPOCHS} times the memory of
 * one. If rows open more epochs than fit, the latest epochs are dropped, so that a wrong clock does
 * not displace current traffic.
 *
 * <p>Metrics: {@link LateRows} counts rows of closed epochs, {@code aheadRows} those of dropped
 * epochs since the start, {@code rejectedRows} those with impossible weights, {@code sketches} the
 * emitted tables that were no longer exact, {@code memoryBytes} the bytes of all tables, {@code
 * forgottenTables} restored tables whose kind is no longer in the settings.
 *
 * <p>Not thread-safe, except {@code memoryBytes}, which any thread may read.
 */
public final class HitterCounts implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int VERSION = 1;

  /** Maximum number of open epochs with full tables; more if tables are smaller. */
  private static final int FULL_EPOCHS = 8;

  private final HitterSettings settings;
  private final List<HitterKind> kinds;

  private final TreeMap<Long, Epoch> epochs = new TreeMap<>();

  private final NarrowKeys[] forms;

  private final boolean isSplit;
  private long seed;
  private AnalyzerContext context;
  private LateRows lateRows;
  private AnalyzerContext.Counter aheadRows;
  private AnalyzerContext.Counter rejectedRows;
  private AnalyzerContext.Counter sketches;
  private AnalyzerContext.Counter forgotten;

  private final AtomicLong bytes = new AtomicLong();

  private long mostBytes;

  private static final class Epoch {
    final KindCounts[] counts;

    long bytes;

    long rows;

    Epoch(int kinds) {
      counts = new KindCounts[kinds];
    }
  }

  /**
   * An unopened analyzer.
   *
   * @param settings kinds, length of an epoch and memory
   */
  public HitterCounts(HitterSettings settings) {
    this(settings, false);
  }

  HitterCounts(HitterSettings settings, boolean isSplit) {
    this.settings = settings;
    this.isSplit = isSplit;
    kinds = settings.counted();
    forms = IntStream.range(0, kinds.size()).mapToObj(settings::form).toArray(NarrowKeys[]::new);
    seed = settings.seed();
  }

  @Override
  public void open(AnalyzerContext context) {
    open(context, context.counter("rejectedRows"));
  }

  void open(AnalyzerContext context, AnalyzerContext.Counter rejectedRows) {
    this.context = context;
    this.rejectedRows = rejectedRows;
    lateRows = new LateRows(context);
    aheadRows = context.counter("aheadRows");
    sketches = context.counter("sketches");
    forgotten = context.counter("forgottenTables");
    context.gauge("memoryBytes", bytes::get);
    mostBytes = FULL_EPOCHS * ofGroups(settings.epochMemory());
  }

  private long ofGroups(long memory) {
    return memory / GROUPS * (isSplit ? GROUPS : context.keyGroups().size());
  }

  @Override
  public void process(TableBlock rows, Emitter<TableBlock> out) {
    long[] kindOf = rows.longs(KIND);
    int from = 0;
    for (int row = 1; row <= rows.rows(); row++) {
      if (row == rows.rows() || kindOf[row] != kindOf[from]) {
        int kind = (int) kindOf[from];
        long[][] words = new long[kinds.get(kind).words()][];
        Arrays.setAll(words, word -> rows.longs(WORDS + word));
        add(
            kind,
            rows.longs(EPOCH),
            words,
            rows.longs(WEIGHT),
            rows.longs(VARIANCE),
            from,
            row,
            new long[row]);
        from = row;
      }
    }
  }

  /**
   * Counts rows of one kind; late rows are counted as late and not added.
   *
   * @param kind index in {@link HitterSettings#counted}
   * @param begins start of each row's epoch, microseconds since 1970
   * @param words the keys: one array for each word of 64 bits, indexed by row
   * @param weights of the rows, at least 0
   * @param variances of the weights
   * @param from first row
   * @param to end of the rows, exclusive; at most the length of each array
   * @param known receives the lower bound of each row's key, see {@link KindCounts#add}
   */
  void add(
      int kind,
      long[] begins,
      long[][] words,
      long[] weights,
      long[] variances,
      int from,
      int to,
      long[] known) {
    int first = from;
    for (int row = from + 1; row <= to; row++) {
      if (row == to || begins[row] != begins[first]) {
        if (settings.isOver(begins[first], context.currentWatermark())) {
          lateRows.add(begins[first], row - first);
          Arrays.fill(known, first, row, Candidates.NOTHING);
        } else {
          count(
              kind, begins[first], keys(kind, words, weights, variances, first, row), known, first);
        }
        first = row;
      }
    }
    dropLatestEpochs();
  }

  private KeyBlock keys(
      int kind, long[][] words, long[] weights, long[] variances, int from, int to) {
    int bytes = kinds.get(kind).bytes();
    KeyBlock all = KeyBlock.of(bytes, words, weights, variances, to);
    return from == 0 ? all : all.from(from);
  }

  private void dropLatestEpochs() {
    while (bytes.get() > mostBytes && epochs.size() > FULL_EPOCHS) {
      Epoch last = epochs.pollLastEntry().getValue();
      aheadRows.add(last.rows);
      var unused = bytes.addAndGet(-last.bytes);
    }
  }

  private void count(int kind, long begin, KeyBlock keys, long[] known, int at) {
    KindCounts counts = counts(begin, kind);
    Epoch epoch = epoch(begin);
    long before = counts.bytes();
    epoch.rows += keys.rows();
    rejectedRows.add(counts.add(keys, known, at));
    grow(epoch, counts.bytes() - before);
  }

  private KindCounts counts(long begin, int kind) {
    Epoch epoch = epoch(begin);
    if (epoch.counts[kind] == null) {
      KindCounts counts =
          new KindCounts(settings, kind, forms[kind], ofGroups(settings.memory()), seed);
      Epoch before = epochs.get(begin - settings.epochMicros());
      if (before != null && before.counts[kind] != null) {
        counts.makeRoomAs(before.counts[kind]); // expects as many keys as in the previous epoch
      }
      epoch.counts[kind] = counts;
      grow(epoch, counts.bytes());
    }
    return epoch.counts[kind];
  }

  private void grow(Epoch epoch, long more) {
    epoch.bytes += more;
    var unused = bytes.addAndGet(more);
  }

  private Epoch epoch(long begin) {
    return epochs.computeIfAbsent(begin, e -> new Epoch(kinds.size()));
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    while (!epochs.isEmpty() && settings.isOver(epochs.firstKey(), micros)) {
      Map.Entry<Long, Epoch> due = epochs.pollFirstEntry();
      for (int kind = 0; kind < kinds.size(); kind++) {
        if (due.getValue().counts[kind] != null) {
          emit(due.getKey(), kind, due.getValue().counts[kind], out);
        }
      }
      var unused = bytes.addAndGet(-due.getValue().bytes);
    }
  }

  /**
   * Emits the counts before becoming idle: when flows resume, the judge's watermark may already
   * have passed them.
   */
  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  private void emit(long epoch, int kind, KindCounts counts, Emitter<TableBlock> out) {
    EmittedTables emitted = new EmittedTables(seed, out);
    counts.forEachTable(
        (group, isExact, table) -> {
          sketches.add(isExact ? 0 : 1);
          emitted.add(epoch, kind, group, table);
        });
    emitted.flush();
  }

  @Override
  public StateSnapshot snapshot() {
    BlockBuffer[] groups = new BlockBuffer[HitterSettings.ALL + 1];
    epochs.forEach(
        (begin, epoch) -> {
          for (int kind = 0; kind < kinds.size(); kind++) {
            if (epoch.counts[kind] != null) {
              byte[] identity = settings.identity(kinds.get(kind)).getBytes(StandardCharsets.UTF_8);
              KindCounts.GroupReader writer =
                  (group, isExact, table) -> {
                    groups[group] = groups[group] == null ? begun() : groups[group];
                    write(begin, identity, table, groups[group]);
                  };
              if (isSplit) { // state of a split step does not move with the groups
                epoch.counts[kind].forEachTable(writer);
              } else {
                epoch.counts[kind].forEachGroup(writer);
              }
            }
          }
        });
    return new BytesSnapshot(groups);
  }

  /**
   * Header of the tables of a group, or of pieces of all groups.
   *
   * <pre>
   *   version | { 1 | epoch | length, kind's identity | length, weights and variances } … | 0
   * </pre>
   */
  private static BlockBuffer begun() {
    BlockBuffer group = new BlockBuffer(1 << 10);
    group.putByte(VERSION);
    return group;
  }

  private static void write(long epoch, byte[] identity, BlockBuffer table, BlockBuffer out) {
    out.putByte(1);
    out.putLong(epoch);
    out.putInt(identity.length);
    out.put(identity, 0, identity.length);
    out.putInt(table.length());
    out.put(table.bytes(), 0, table.length());
  }

  @Override
  public void restore(int group, BlockInput in) {
    in.takeVersion(VERSION, "counts of hitters");
    List<String> identities = settings.countedIdentities();
    while (in.takeByte() != 0) {
      long epoch = in.takeLong();
      int length = in.takeInt();
      String identity = new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
      int bytes = in.takeInt();
      BlockInput table = new BlockInput(in.bytes(), in.take(bytes), bytes);
      int kind = identities.indexOf(identity);
      if (kind < 0) {
        forgotten.add(1);
        continue;
      }
      KindCounts into = counts(epoch, kind);
      Epoch to = epoch(epoch);
      long before = into.bytes();
      into.merge(group, table);
      grow(to, into.bytes() - before);
    }
    dropLatestEpochs();
  }

  /** Seed of tables created from now on; part of the state if parts are merged. */
  long seed() {
    return seed;
  }

  void seed(long restored) {
    seed = restored;
  }

  private static final class BytesSnapshot implements StateSnapshot {
    private final BlockBuffer[] groups;

    BytesSnapshot(BlockBuffer[] groups) {
      this.groups = groups;
    }

    @Override
    public boolean isEmpty(int group) {
      return groups[group] == null;
    }

    @Override
    public void write(int group, BlockBuffer out) {
      out.put(groups[group].bytes(), 0, groups[group].length());
      out.putByte(0);
    }
  }
}
