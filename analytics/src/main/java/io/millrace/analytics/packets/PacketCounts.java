package io.millrace.analytics.packets;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.ClockedAnalyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.util.List;

/**
 * Counts packets. Emits rows of {@link PacketSums#COUNTS}, and of {@link PacketSums#FLOWS} to
 * {@link #FLOW_ROWS}. A second or 5-tuple may have several rows, which add up: each second, the
 * counts since the previous emission are emitted. So no packet is ever late, memory is bounded, and
 * the state is only the counts not emitted yet. Packets with unreadable headers are counted too,
 * and by reason ({@link PacketReject#OF_HEADERS}).
 */
public final class PacketCounts
    implements Analyzer<PacketBlock, TableBlock>, PartitionedState, ClockedAnalyzer<TableBlock> {
  /** Rows by 5-tuple. */
  public static final Output<TableBlock> FLOW_ROWS = Output.ofTable("flows");

  /** Counter: packets. */
  public static final String PACKETS = "packets";

  /** Counter: bytes of the packets on the wire. */
  public static final String BYTES = "bytes";

  private static final long TICK_MICROS = 1_000_000;

  private static final int MAX_ROWS = 1 << 18;

  private final IpLayer layer;
  private final boolean byFlow;
  private PacketSums sums;
  private AnalyzerContext.Counter packets;
  private AnalyzerContext.Counter bytes;
  private RejectCounters rejects;
  private int index;
  private int count;

  /**
   * An unopened analyzer.
   *
   * @param layer IP layer of protocol and 5-tuple
   * @param byFlow whether 5-tuples are counted too
   */
  public PacketCounts(IpLayer layer, boolean byFlow) {
    this.layer = layer;
    this.byFlow = byFlow;
  }

  @Override
  public void open(AnalyzerContext context) {
    sums = new PacketSums(layer, byFlow);
    packets = context.counter(PACKETS);
    bytes = context.counter(BYTES);
    rejects = new RejectCounters(context, sums.rejects(), PacketReject.OF_HEADERS);
    index = context.index();
    count = context.count();
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(FLOW_ROWS);
  }

  @Override
  public void process(PacketBlock block, Emitter<TableBlock> out) {
    sums.add(block);
    packets.add(block.rows());
    bytes.add(block.wireBytes());
    rejects.update();
    if (sums.countRows() > MAX_ROWS || sums.flowRows() > MAX_ROWS) {
      emit(out);
    }
  }

  @Override
  public long tickMicros() {
    return TICK_MICROS;
  }

  @Override
  public void tick(long micros, Emitter<TableBlock> out) {
    emit(out);
  }

  /** Emits all rows at the end of the input. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros == Long.MAX_VALUE) {
      emit(out);
    }
  }

  private void emit(Emitter<TableBlock> out) {
    TableBlock counts = sums.takeCounts();
    if (counts.rows() > 0) {
      out.emit(counts);
    }
    TableBlock flows = sums.takeFlows();
    if (flows.rows() > 0) {
      out.emit(FLOW_ROWS, flows);
    }
  }

  /** Writes two entries for each subtask: the pending rows of each table. */
  @Override
  public void snapshot(StateWriter out) throws Exception {
    put(out, 2 * index, sums.counts());
    put(out, 2 * index + 1, sums.flows());
  }

  private static void put(StateWriter out, int key, TableBlock rows) throws Exception {
    if (rows.rows() > 0) {
      BlockBuffer bytes = new BlockBuffer(1 << 10);
      BlockCodec.encode(rows, bytes);
      out.put(key, 0, bytes.toBytes());
    }
  }

  /** Each entry is restored by one subtask, at any parallelism. */
  @Override
  public void restore(int key, long version, byte[] state) {
    if (key / 2 % count != index) {
      return;
    }
    TableBlock rows = (TableBlock) BlockCodec.decode(state, 0, state.length);
    if (key % 2 == 0) {
      sums.restoreCounts(rows);
    } else {
      sums.restoreFlows(rows);
    }
  }
}
