package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.util.Arrays;
import java.util.List;

/**
 * Keys of flows with their weights: for each kind that is counted a row of each different key of a
 * block. Only reads the flows. At the output {@link #DETAILS} it tells, epoch by epoch, what the
 * traffic of candidates is like.
 *
 * <p>A weight is what the flow says times the sampling rate. Of a flow of k packets, sampled one in
 * n, with the weight v, sampling has the variance v · (v − v/n) / k, k packets of the same size
 * being taken or not one by one: the unbiased estimate of Horvitz and Thompson (1952). For a packet
 * by itself this is v · (v − v/n), for one of an exporter that does not sample it is 0. Variances
 * of flows add up. Where keys go on as rows, what the flows of a block with the same key have is
 * added up here, so that the steps behind have a row of them all and not one of each.
 */
public final class HitterKeys implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
  /** Details of the candidates, for {@link HitterJudge}. */
  public static final Output<TableBlock> DETAILS = Output.ofTable("details");

  /** A flow of more is no flow: 2⁵⁴ bytes are 18 PB. Bounds the sums that a sender can make. */
  static final long HEAVIEST = 1L << 54;

  /** Where the sums of a block stop: more than is counted, so that they are refused. */
  private static final long MORE_THAN_ALL = 4 * HEAVIEST;

  private final HitterSettings settings;
  private final List<HitterKind> counted;
  private final KeyExpressions expressions;
  private final EqualRows equal;
  private final CandidateEpochs candidates;

  /** Counts the keys on the same thread; null where they go on as rows. */
  private final HitterCounts counts;

  private AnalyzerContext context;
  private AnalyzerContext.Counter refused;

  /** Of each flow of a block its epoch, its weight and the variance of that. */
  private long[] epochs = {};

  private long[] weights = {};
  private long[] variances = {};

  /** Of each flow what its key has at least, where that is known. */
  private long[] known = {};

  /** Of each flow its key, by word; for prefixes of one length with weights of their own. */
  private final long[][] keys;

  private final long[][] prefixes = new long[3][0];
  private long[] prefixWeights = {};

  /** An analyzer that is not opened, of keys that have only columns. */
  public HitterKeys(HitterSettings settings) {
    this(settings, KeyExpressions.NONE);
  }

  /**
   * An analyzer that is not opened.
   *
   * @param expressions that the keys have; it closes them
   */
  public HitterKeys(HitterSettings settings, KeyExpressions expressions) {
    this(settings, expressions, null);
  }

  /**
   * The same that emits no keys where they are counted on its thread.
   *
   * @param counts opened by its owner; or null
   */
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
    open(context, context.counter("refusedRows"));
  }

  /** The same with a counter of its step for what is refused. */
  void open(AnalyzerContext context, AnalyzerContext.Counter refused) {
    this.context = context;
    this.refused = refused;
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
    refused.add(heaviest);
  }

  /** The keys of flows, by word. */
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

  /** A row of each different key. */
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
    candidates.add(kind, flows, rows, context.eventTime(), epochs, own, found, known);
  }

  /** Each address votes for its prefix of each length. */
  private void voteByLength(int kind, DetailColumns flows, int rows, long[][] addresses) {
    Arrays.fill(known, 0, rows, Candidates.UNKNOWN);
    for (int length = 0; length < Networks.MOST_LENGTHS; length++) {
      for (int row = 0; row < rows; row++) {
        boolean isThere = Networks.cut(addresses[0][row], addresses[1][row], length, prefixes, row);
        prefixWeights[row] = isThere ? weights[row] : 0;
      }
      vote(kind, flows, rows, prefixWeights, prefixes);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    candidates.give(micros, part -> out.emit(DETAILS, part));
  }

  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  /** A piece for each subtask. */
  @Override
  public void snapshot(StatePieces out) throws Exception {
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
