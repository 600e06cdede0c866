package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;
import java.util.List;

/**
 * Keys of flows with their weights: for each flow a row of each kind. Only reads the flows. At the
 * output {@link #DETAILS} it tells, epoch by epoch, what the traffic of candidates is like.
 *
 * <p>A weight is what the flow says times the sampling rate. Of a flow of k packets, sampled one in
 * n, with the weight v, sampling has the variance v · (v − v/n) / k, k packets of the same size
 * being taken or not one by one: the unbiased estimate of Horvitz and Thompson (1952). For a packet
 * by itself this is v · (v − v/n), for one of an exporter that does not sample it is 0. Variances
 * of flows add up.
 *
 * <p>A column of a data set that the job does not have is {@link FlowBlock#NULL} in each key. A
 * text is its id.
 */
public final class HitterKeys implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
  /** Details of the candidates, for {@link HitterJudge}. */
  public static final Output<TableBlock> DETAILS = Output.ofTable("details");

  /** A flow of more is no flow: 2⁵⁴ bytes are 18 PB. Bounds the sums that a sender can make. */
  static final long HEAVIEST = 1L << 54;

  private final HitterSettings settings;
  private final TableSchema schema;
  private long[] epochs = {};
  private long[] weights = {};
  private long[] variances = {};
  private final CandidateEpochs candidates;
  private AnalyzerContext context;
  private AnalyzerContext.Counter refused;

  /** An analyzer that is not opened. */
  public HitterKeys(HitterSettings settings) {
    this.settings = settings;
    schema = settings.rows();
    candidates = new CandidateEpochs(settings);
  }

  @Override
  public void open(AnalyzerContext context) {
    this.context = context;
    refused = context.counter("refusedRows");
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
    weigh(flows);
    DetailColumns columns = new DetailColumns(flows, candidates.seed());
    List<HitterKind> kinds = settings.kinds();
    for (int kind = 0; kind < kinds.size(); kind++) {
      TableBlock keys = new TableBlock(schema, rows);
      System.arraycopy(epochs, 0, keys.longs(HitterSettings.EPOCH), 0, rows);
      Arrays.fill(keys.longs(HitterSettings.KIND), kind);
      System.arraycopy(weights, 0, keys.longs(HitterSettings.WEIGHT), 0, rows);
      System.arraycopy(variances, 0, keys.longs(HitterSettings.VARIANCE), 0, rows);
      long[][] words = new long[kinds.get(kind).words()][];
      Arrays.setAll(words, word -> keys.longs(HitterSettings.WORDS + word));
      write(flows, kinds.get(kind), words);
      candidates.add(kind, columns, rows, context.eventTime(), epochs, weights, words);
      keys.rows(rows);
      out.emit(keys);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    candidates.give(micros, part -> out.emit(DETAILS, part));
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

  private void weigh(FlowBlock flows) {
    int rows = flows.rows();
    if (weights.length < rows) {
      epochs = new long[flows.capacity()];
      weights = new long[flows.capacity()];
      variances = new long[flows.capacity()];
    }
    long[] times = flows.longs(FlowColumn.TIME);
    long[] packets = flows.longs(FlowColumn.PACKETS);
    long[] measured =
        settings.measure() == HitterSettings.Measure.BYTES
            ? flows.longs(FlowColumn.BYTES)
            : packets;
    int[] rates = flows.ints(FlowColumn.SAMPLING_RATE);
    double unit = settings.measure().varianceUnit();
    int heaviest = 0;
    for (int row = 0; row < rows; row++) {
      epochs[row] = settings.epochOf(times[row]);
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

  /** Fills the words of the flows' keys, which are 0. */
  static void write(FlowBlock flows, HitterKind kind, long[][] keys) {
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      write(flows, part, keys, at);
      at += part.bytes();
    }
  }

  private static void write(FlowBlock flows, HitterKind.Part part, long[][] keys, int at) {
    int rows = flows.rows();
    FlowColumn column = part.wire().orElse(null);
    if (column == null) {
      joined(flows, part.column(), keys, at);
    } else if (!flows.has(column)) {
      for (int piece = 0; piece < part.bytes(); piece += Integer.BYTES) {
        for (int row = 0; row < rows; row++) {
          put(keys, row, at + piece, FlowBlock.NULL);
        }
      }
    } else if (part.isAddress()) {
      long[] high = flows.addressHigh(column);
      long[] low = flows.addressLow(column);
      for (int row = 0; row < rows; row++) {
        boolean isV4 = Addresses.isV4(high[row], low[row]);
        boolean isWhole = !part.isPrefix() || Addresses.isNull(high[row], low[row]);
        putLong(
            keys,
            row,
            at,
            isWhole || isV4 ? high[row] : high[row] & (-1L << (64 - 2 * part.prefix())));
        putLong(
            keys,
            row,
            at + 8,
            isWhole ? low[row] : isV4 ? low[row] & (-1L << (32 - part.prefix())) : 0);
      }
    } else if (column.type().isInt()) {
      int[] values = flows.ints(column);
      for (int row = 0; row < rows; row++) {
        put(keys, row, at, values[row]);
      }
    } else {
      long[] values = flows.longs(column);
      for (int row = 0; row < rows; row++) {
        putLong(keys, row, at, values[row]);
      }
    }
  }

  private static void joined(FlowBlock flows, String name, long[][] keys, int at) {
    JoinedColumn column =
        flows.joined().stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
    for (int row = 0; row < flows.rows(); row++) {
      int value = column == null ? FlowBlock.NULL : column.values()[row];
      boolean isText = column != null && column.kind() == JoinedColumn.Kind.TEXT;
      long number = isText ? column.base() + value : value & 0xFFFF_FFFFL;
      putLong(keys, row, at, value == FlowBlock.NULL ? FlowBlock.NULL : number);
    }
  }

  private static void putLong(long[][] keys, int row, int at, long value) {
    put(keys, row, at, (int) (value >>> 32));
    put(keys, row, at + Integer.BYTES, (int) value);
  }

  /** Four bytes of a key, from a multiple of four on: the first byte of a word is its highest. */
  private static void put(long[][] keys, int row, int at, int value) {
    keys[at / Long.BYTES][row] |= (value & 0xFFFF_FFFFL) << (at % Long.BYTES == 0 ? 32 : 0);
  }
}
