package io.millrace.pipelines.flows;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.pipelines.DecodingFaults;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.netflow.FullBlocks;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.sflow.Discards;
import io.millrace.wire.sflow.SflowDecoder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Decodes datagrams to flows: one block per log value, with the rows in wire order and counters of
 * datagrams by outcome. Interface counters, NAT events, discarded packets and device names go to
 * side outputs. A value with too many rows for one block becomes several blocks; all are emitted
 * within one call, so no checkpoint falls between them, and the last has the counters.
 *
 * <p>The protocol is recognised by content. The decodable part of a malformed datagram becomes
 * rows; the whole datagram also goes to the dead letters.
 *
 * <p>Templates and the positions of external topics are state, one piece per partition of the log:
 * all datagrams of an exporter are in one partition, which one subtask reads in order. The version
 * of a piece is the offset of the last value that changed it. Values that any subtask may process
 * change no state.
 */
public class FlowDecoder implements Analyzer<RawBatch, FlowBlock>, PartitionedState {
  /** Typical size, in a datagram, of a sample with a 128-byte header. */
  private static final int TYPICAL_SAMPLE_BYTES = 160;

  /** A sender may use at most 1/4 of all sessions, enough for a relay of a thousand exporters. */
  private static final int SENDER_SHARE = 4;

  private final FlowsConfig config;
  private final int parallelism;
  private final NetflowConfig netflowConfig;
  private final DatagramHead head = new DatagramHead();
  private final SflowDecoder sflow;
  private final CounterBlock interfaceCounters = new CounterBlock(16);
  private final InterfaceFives fives = new InterfaceFives();
  private final Map<Integer, NetflowDecoder> netflow = new TreeMap<>();
  private final Map<Integer, SourcePositions> positions = new TreeMap<>();
  private final Map<Integer, Long> versions = new TreeMap<>();
  private final MessageReader messages;
  private final LoadShedding shedding = new LoadShedding();
  private final BothSides sides = new BothSides();
  private final RawBatch.Writer deadLetters = new RawBatch.Writer(0);
  private final ReportedNames names = new ReportedNames();
  private final DatagramNotes notes = new DatagramNotes(names);
  private TableBlock discards = new TableBlock(Discards.SCHEMA, 16);
  private final DecodingFaults faults = new DecodingFaults();

  /**
   * Creates a decoder.
   *
   * @param parallelism number of subtasks that share unordered batches
   */
  public FlowDecoder(FlowsConfig config, int parallelism) {
    this.config = config;
    this.parallelism = parallelism;
    PrefixRates rates = PrefixRates.of(config.sampling());
    messages = new MessageReader(rates);
    FlowsConfig.NetflowBounds bounds = config.netflow();
    netflowConfig =
        new NetflowConfig(
            bounds.maxSessions(),
            bounds.maxTemplates(),
            bounds.maxAllTemplates(),
            bounds.maxFields(),
            bounds.holdSizeBytes(),
            SENDER_SHARE,
            bounds.holdMicros(),
            rates,
            config.layer(),
            config.layer2());
    sflow = new SflowDecoder(config.layer(), config.layer2());
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(
        InterfaceCounters.ROWS,
        InterfaceFives.ROWS,
        NatEventTable.ROWS,
        DiscardTable.ROWS,
        ReportedNames.ROWS);
  }

  @Override
  public void open(AnalyzerContext context) {
    names.counting(context.counter(ReportedNames.REJECTED));
  }

  @Override
  public void restore(int partition, long version, byte[] state) {
    BlockInput in = new BlockInput(state, 0, state.length);
    netflow.put(partition, NetflowDecoder.restore(in, netflowConfig));
    positions.put(partition, SourcePositions.read(in));
    versions.put(partition, version);
  }

  @Override
  public void snapshot(StateWriter out) throws Exception {
    for (Map.Entry<Integer, Long> piece : versions.entrySet()) {
      out.put(piece.getKey(), piece.getValue(), snapshot(piece.getKey()));
    }
  }

  private void read(RawBatch batch) {
    versions.put(
        LogPartition.partition(batch.partition()),
        LogPartition.version(batch.partition(), batch.offset()));
  }

  private byte[] snapshot(int partition) {
    BlockBuffer out = new BlockBuffer(1 << 12);
    netflow(partition).snapshot(out);
    positions(partition).write(out);
    return out.toBytes();
  }

  private NetflowDecoder netflow(int partition) {
    return netflow.computeIfAbsent(partition, none -> new NetflowDecoder(netflowConfig));
  }

  private SourcePositions positions(int partition) {
    return positions.computeIfAbsent(partition, none -> new SourcePositions());
  }

  @Override
  public void process(RawBatch batch, Emitter<FlowBlock> out) {
    Value value = new Value(batch, out);
    if (batch.isSound() && batch.isMessages()) {
      readMessages(value);
      read(batch);
    } else if (batch.isSound()) {
      decode(value);
    } else {
      ExporterCounters counters = value.block.counters();
      int nobody =
          counters.exporter(Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, 0);
      counters.add(nobody, ExporterCounters.FIRST_REASON + RejectReason.BAD_LOG_VALUE.ordinal(), 1);
      out.reject(batch);
    }
    if (deadLetters.count() > 0) {
      out.reject(RawBatch.wrap(deadLetters.toBytes(), batch.partition(), batch.offset()));
      deadLetters.clear();
    }
    value.emit();
    if (interfaceCounters.rows() > 0) {
      names.speeds(interfaceCounters);
      out.emit(InterfaceCounters.ROWS, InterfaceCounters.rows(interfaceCounters));
      TableBlock firsts = fives.rows(interfaceCounters);
      if (firsts != null) {
        out.emit(InterfaceFives.ROWS, firsts);
      }
      interfaceCounters.rows(0);
    }
    if (notes.natEvents.rows() > 0) {
      out.emit(NatEventTable.ROWS, notes.natEvents);
      notes.natEvents = new TableBlock(NatEvents.SCHEMA, 16);
    }
    if (discards.rows() > 0) {
      out.emit(DiscardTable.ROWS, discards);
      discards = new TableBlock(Discards.SCHEMA, 16);
    }
    TableBlock named = names.take();
    if (named != null) {
      out.emit(ReportedNames.ROWS, named);
    }
  }

  private void readMessages(Value value) {
    RawBatch batch = value.batch;
    FlowBlock block = value.block;
    try {
      messages
          .read(batch, positions(LogPartition.partition(batch.partition())), block)
          .ifPresent(value.out::reject);
    } catch (RuntimeException e) {
      faults.add(batch, e);
      block.clear();
      ExporterCounters counters = block.counters();
      int nobody =
          counters.exporter(Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, 0);
      counters.add(
          nobody, ExporterCounters.FIRST_REASON + RejectReason.DECODER_FAILED.ordinal(), 1);
      value.out.reject(batch);
    }
  }

  private void decode(Value value) {
    RawBatch batch = value.batch;
    byte[] bytes = batch.bytes();
    ExporterCounters counters = value.block.counters();
    NetflowDecoder records = netflow(LogPartition.partition(batch.partition()));
    boolean changesState = false;
    int cursor = batch.first();
    for (int left = batch.rows(); left > 0; left--, cursor = batch.next(cursor)) {
      int offset = batch.payload(cursor);
      int length = batch.payloadLength(cursor);
      long senderHigh = batch.senderHigh(cursor);
      long senderLow = batch.senderLow(cursor);
      ExportProtocol protocol = head.read(bytes, offset, length);
      int exporter =
          counters.exporter(
              senderHigh,
              senderLow,
              head.agentHigh(),
              head.agentLow(),
              head.channel(batch.senderPort(cursor)));
      notes.begin(counters, exporter);
      sides.begin(senderHigh, senderLow, head.agentHigh(), head.agentLow());
      names.begin(senderHigh, senderLow, batch.time(cursor));
      value.begin(cursor, exporter);
      try {
        decode(protocol, batch, cursor, records, value.block, value);
      } catch (RuntimeException e) { // a bug must affect only this datagram
        faults.add(batch, e);
        value.undo();
        notes.reject(RejectReason.DECODER_FAILED, 0);
      }
      changesState |= protocol.hasTemplates();
      value.countRows();
      if (notes.malformed) {
        counters.add(exporter, ExporterCounters.MALFORMED_DATAGRAMS, 1);
        deadLetters.add(
            batch.time(cursor),
            senderHigh,
            senderLow,
            batch.senderPort(cursor),
            bytes,
            offset,
            length);
      } else {
        counters.add(exporter, ExporterCounters.DATAGRAMS, 1);
      }
    }
    if (changesState) {
      read(batch);
    }
  }

  /** Overridden by tests to inject failures. */
  void decode(
      ExportProtocol protocol,
      RawBatch batch,
      int cursor,
      NetflowDecoder records,
      FlowBlock block,
      FullBlocks full) {
    byte[] bytes = batch.bytes();
    int offset = batch.payload(cursor);
    int length = batch.payloadLength(cursor);
    switch (protocol) {
      case UNKNOWN, GOFLOW2 -> notes.reject(RejectReason.UNKNOWN_PROTOCOL, 0);
      case SFLOW ->
          sflow.decode(
              bytes,
              offset,
              length,
              batch.time(cursor),
              batch.senderHigh(cursor),
              batch.senderLow(cursor),
              block,
              interfaceCounters,
              discards,
              notes,
              names);
      case NETFLOW5, NETFLOW9, IPFIX ->
          records.decode(
              bytes,
              offset,
              length,
              batch.time(cursor),
              batch.senderHigh(cursor),
              batch.senderLow(cursor),
              batch.senderPort(cursor),
              block,
              full,
              notes);
    }
  }

  /** The current value: the block being filled, and the first row of the current datagram. */
  private final class Value implements FullBlocks {
    private final RawBatch batch;
    private final Emitter<FlowBlock> out;
    private final double limit;
    private FlowBlock block;
    private int nextIndex;
    private int cursor;
    private int exporter;
    private int rowsBefore;
    private int interfaceCountersBefore;
    private int natEventsBefore;
    private int discardsBefore;

    Value(RawBatch batch, Emitter<FlowBlock> out) {
      this.batch = batch;
      this.out = out;
      limit = (double) config.maxRowsPerSecond() / (batch.requiresOrder() ? 1 : parallelism);
      block = new FlowBlock(batch.length() / TYPICAL_SAMPLE_BYTES + 1);
      block.logPosition(batch.partition(), batch.offset());
    }

    void begin(int datagram, int tallied) {
      cursor = datagram;
      exporter = tallied;
      rowsBefore = block.rows();
      interfaceCountersBefore = interfaceCounters.rows();
      natEventsBefore = notes.natEvents.rows();
      discardsBefore = discards.rows();
    }

    void countRows() {
      ExporterCounters counters = block.counters();
      counters.add(exporter, ExporterCounters.BOTH_SIDES_ROWS, sides.count(block, rowsBefore));
      if (config.maxRowsPerSecond() > 0) {
        long high = batch.senderHigh(cursor);
        long low = batch.senderLow(cursor);
        int shed = shedding.apply(block, rowsBefore, high, low, batch.time(cursor), limit);
        counters.add(exporter, ExporterCounters.SHED_ROWS, shed);
      }
      counters.add(exporter, ExporterCounters.ROWS, block.rows() - rowsBefore);
    }

    void undo() {
      interfaceCounters.rows(interfaceCountersBefore);
      notes.natEvents = first(natEventsBefore, notes.natEvents);
      discards = first(discardsBefore, discards);
      block.rows(rowsBefore);
      block.nullOptional(rowsBefore, block.capacity());
    }

    private static TableBlock first(int rows, TableBlock of) {
      return of.select(IntStream.range(0, rows).toArray(), rows);
    }

    @Override
    public FlowBlock next(FlowBlock full) {
      countRows();
      FlowBlock next = full.next();
      emit();
      block = next;
      rowsBefore = 0;
      return next;
    }

    /** Emits the block; row numbers continue over the value's blocks. */
    void emit() {
      int rows = block.rows();
      int[] logIndex = block.logIndex();
      for (int row = 0; nextIndex > 0 && row < rows; row++) {
        logIndex[row] += nextIndex;
      }
      nextIndex = rows == 0 ? nextIndex : logIndex[rows - 1] + 1;
      out.emit(block);
    }
  }

  private static final class DatagramNotes implements Observations {
    private final NameSink names;
    private ExporterCounters counters;
    private int exporter;
    private boolean malformed;
    private DatagramNotes others;
    private TableBlock natEvents = new TableBlock(NatEvents.SCHEMA, 16);

    DatagramNotes(NameSink names) {
      this.names = names;
    }

    void begin(ExporterCounters counters, int exporter) {
      this.counters = counters;
      this.exporter = exporter;
      malformed = false;
    }

    @Override
    public void reject(RejectReason reason, int offset) {
      counters.add(exporter, ExporterCounters.FIRST_REASON + reason.ordinal(), 1);
      malformed |= reason.malformed();
      if (reason == RejectReason.IMPOSSIBLE_RATE) {
        unknownSampling(1);
      }
    }

    @Override
    public Observations of(long high, long low, int port, int version, int domain) {
      ExportProtocol protocol = version == 9 ? ExportProtocol.NETFLOW9 : ExportProtocol.IPFIX;
      long channel = Channel.of(protocol, port, domain);
      if (others == null) {
        others = new DatagramNotes(names);
      }
      others.begin(counters, counters.exporter(high, low, Addresses.NULL, Addresses.NULL, channel));
      others.natEvents = natEvents;
      return others;
    }

    @Override
    public void name(NameKind kind, long number, String name, String description) {
      names.name(kind, number, name, description);
    }

    @Override
    public TableBlock natEvents() {
      return natEvents;
    }

    @Override
    public void templates(int change) {
      counters.add(exporter, ExporterCounters.TEMPLATES, change);
    }

    @Override
    public void templateChanged(int templateId) {
      counters.add(exporter, ExporterCounters.TEMPLATE_CHANGES, 1);
    }

    @Override
    public void unknownSampling(int rows) {
      counters.add(exporter, ExporterCounters.UNSAMPLED_ROWS, rows);
    }

    @Override
    public void rateRejected(long rate) {
      counters.add(exporter, ExporterCounters.REJECTED_RATES, rate);
    }

    @Override
    public void recordsLost(long records) {
      counters.add(exporter, ExporterCounters.LOST_RECORDS, records);
    }

    @Override
    public void sequenceDoubted() {
      counters.add(exporter, ExporterCounters.DOUBTS, 1);
    }

    @Override
    public void held(int bytes) {
      counters.add(exporter, ExporterCounters.HELD_SETS, 1);
    }
  }
}
