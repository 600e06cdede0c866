package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.util.Arrays;
import java.util.List;

/**
 * Extracts keys with their weights from flows: a row for each counted kind and distinct key of a
 * block. The flows are not changed. The output {@link #DETAILS} has profiles of the candidates'
 * traffic by epoch.
 *
 * <p>A weight is the flow's packets or bytes times the sampling rate. The sampling variance of a
 * flow of k equal packets, sampled 1 in n, with the weight v, is v · (v − v/n) / k: the unbiased
 * estimate of Horvitz and Thompson (1952). It is v · (v − v/n) for a single packet and 0 without
 * sampling. Variances of flows add up. If keys are emitted as rows, flows of a block with the same
 * key are combined, to save rows.
 */
public final class HitterKeys implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
  /** Profiles of candidates, for {@link HitterJudge}. */
  public static final Output<TableBlock> DETAILS = Output.ofTable("details");

  /** Greatest valid weight, 18 PB. Bounds the sums that a sender can cause. */
  static final long HEAVIEST = 1L << 54;

  /**
   * Value at which a block's sums saturate: greater than any valid weight, so that the row is
   * rejected.
   */
  private static final long MORE_THAN_ALL = 4 * HEAVIEST;

  private final HitterSettings settings;
  private final List<HitterKind> counted;
  private final KeyExpressions expressions;
  private final EqualRows equal;
  private final CandidateEpochs candidates;

  /** Counts the keys on the same thread; null if they are emitted as rows. */
  private final HitterCounts counts;

  private AnalyzerContext context;
  private AnalyzerContext.Counter rejected;

  /** By flow of a block: epoch, weight, variance. */
  private long[] epochs = {};

  private long[] weights = {};
  private long[] variances = {};

  private long[] known = {};

  private final long[][] keys;

  private final long[][] prefixes = new long[3][0];
  private long[] prefixWeights = {};

  /** An unopened analyzer of keys with columns only. */
  public HitterKeys(HitterSettings settings) {
    this(settings, KeyExpressions.NONE);
  }

  /**
   * An unopened analyzer.
   *
   * @param expressions of the keys; the analyzer closes them
   */
  public HitterKeys(HitterSettings settings, KeyExpressions expressions) {
    this(settings, expressions, null);
  }

  HitterKeys(HitterSettings settings, KeyExpressions expressions, HitterCounts counts) {
    this.counts = counts;
    this.settings = settings;
    this.expressions = expressions;
    counted = settings.counted();
    equal = new EqualRows(settings.seed());
    candidates = new CandidateEpochs(settings);
    keys = new long[settings.mostWords()][0];
  }

  @Override
  public void open(AnalyzerContext context) {
    open(context, context.counter("rejectedRows"));
  }

  void open(AnalyzerContext context, AnalyzerContext.Counter rejected) {
    this.context = context;
    this.rejected = rejected;
  }

  @Override
  public void close() {
    expressions.close();
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(DETAILS);
  }

  @Override
  public void process(FlowBlock flows, Emitter<TableBlock> out) {
    int rows = flows.rows();
    if (rows == 0) {
      return;
    }
    makeRoom(flows.capacity());
    weigh(flows);
    DetailColumns columns = new DetailColumns(flows, candidates.seed());
    for (int kind = 0; kind < counted.size(); kind++) {
      HitterKind own = settings.kinds().get(kind);
      HitterKind finest = own.counted();
      long[][] found = find(flows, finest);
      Arrays.fill(known, 0, rows, Candidates.UNKNOWN);
      if (finest.equals(counted.get(kind))) {
        take(kind, rows, found, out);
      }
      if (!own.isNetworks()) {
        vote(kind, columns, rows, weights, found);
      }
      if (own.isNetworks()) {
        voteByLength(kind, columns, rows, found);
      }
      if (counted.get(kind) != null && !finest.equals(counted.get(kind))) {
        take(kind, rows, find(flows, counted.get(kind)), out);
      }
    }
  }

  private void makeRoom(int rows) {
    if (weights.length < rows) {
      epochs = new long[rows];
      weights = new long[rows];
      variances = new long[rows];
      known = new long[rows];
      prefixWeights = new long[rows];
      Arrays.setAll(keys, word -> new long[rows]);
      Arrays.setAll(prefixes, word -> new long[rows]);
    }
  }

  private void weigh(FlowBlock flows) {
    int rows = flows.rows();
    long[] times = flows.longs(FlowColumn.TIME);
    long[] packets = flows.longs(FlowColumn.PACKETS);
    long[] measured =
        settings.measure() == HitterSettings.Measure.BYTES
            ? flows.longs(FlowColumn.BYTES)
            : packets;
    int[] rates = flows.ints(FlowColumn.SAMPLING_RATE);
    double unit = settings.measure().varianceUnit();
    int heaviest = 0;
    long epoch = settings.epochOf(times[0]);
    for (int row = 0; row < rows; row++) {
      if (times[row] < epoch || times[row] - epoch >= settings.epochMicros()) {
        epoch = settings.epochOf(times[row]);
      }
      epochs[row] = epoch;
      long rate = rates[row] == FlowBlock.NULL ? 1 : Math.max(1, rates[row] & 0xFFFF_FFFFL);
      long value = Math.max(0, measured[row]);
      double weight = (double) value * rate;
      double variance = weight * (weight - value) / Math.max(1, packets[row]) / unit;
      heaviest += weight > HEAVIEST ? 1 : 0;
      weights[row] = weight > HEAVIEST ? 0 : value * rate;
      variances[row] = weight > HEAVIEST ? 0 : (long) Math.min(Math.ceil(variance), HEAVIEST);
    }
    rejected.add(heaviest);
  }

  private long[][] find(FlowBlock flows, HitterKind kind) {
    long[][] found = Arrays.copyOf(keys, kind.words());
    for (long[] word : found) {
      Arrays.fill(word, 0, flows.rows(), 0);
    }
    kind.write(flows, expressions, found);
    return found;
  }

  private void take(int kind, int rows, long[][] found, Emitter<TableBlock> out) {
    if (counts == null) {
      out.emit(combined(kind, rows, found));
    } else {
      counts.add(kind, epochs, found, weights, variances, 0, rows, known);
    }
  }

  private TableBlock combined(int kind, int rows, long[][] found) {
    int count = equal.find(epochs, found, rows);
    TableBlock combined = new TableBlock(HitterSettings.rows(found.length), count);
    equal.first(epochs, combined.longs(HitterSettings.EPOCH));
    Arrays.fill(combined.longs(HitterSettings.KIND), kind);
    equal.sum(weights, rows, combined.longs(HitterSettings.WEIGHT), MORE_THAN_ALL);
    equal.sum(variances, rows, combined.longs(HitterSettings.VARIANCE), MORE_THAN_ALL);
    for (int word = 0; word < found.length; word++) {
      equal.first(found[word], combined.longs(HitterSettings.WORDS + word));
    }
    combined.rows(count);
    return combined;
  }

  private void vote(int kind, DetailColumns flows, int rows, long[] own, long[][] found) {
    candidates.add(kind, flows, rows, context.currentWatermark(), epochs, own, found, known);
  }

  private void voteByLength(int kind, DetailColumns flows, int rows, long[][] addresses) {
    Arrays.fill(known, 0, rows, Candidates.UNKNOWN);
    for (int length = 0; length < Networks.MAX_LENGTHS; length++) {
      for (int row = 0; row < rows; row++) {
        boolean isThere = Networks.cut(addresses[0][row], addresses[1][row], length, prefixes, row);
        prefixWeights[row] = isThere ? weights[row] : 0;
      }
      vote(kind, flows, rows, prefixWeights, prefixes);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    candidates.emit(micros, part -> out.emit(DETAILS, part));
  }

  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  /** Writes a piece for each subtask. */
  @Override
  public void snapshot(StateWriter out) throws Exception {
    if (!candidates.isEmpty()) {
      BlockBuffer bytes = new BlockBuffer(1 << 10);
      candidates.write(bytes);
      out.put(context.index(), 0, bytes.toBytes());
    }
  }

  @Override
  public void restore(int piece, long version, byte[] state) {
    boolean isMine = piece % context.count() == context.index();
    candidates.read(new BlockInput(state, 0, state.length), isMine);
  }
}
