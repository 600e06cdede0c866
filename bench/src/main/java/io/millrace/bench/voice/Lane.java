package io.millrace.bench.voice;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.voice.VoiceGuard;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.table.TableReader;
import io.millrace.pipelines.voice.CellTable;
import io.millrace.pipelines.voice.CellVolumes;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The steps of the pipeline for some of the controllers, on one thread, and what they will get. */
final class Lane {
  private static final int MESSAGE_ROWS = 8_192;
  private static final int CHANNEL_ROWS = 64;
  private static final int SHIFT = 31;

  private final CellVolumes volumes;
  private final VoiceGuard guard;
  private final Consumer<TableBlock> commands;
  private final Emitter<TableBlock> given = new Commands();
  private final List<Part> parts = new ArrayList<>();
  private TableBlock messages = block(VoiceRecords.MESSAGES, MESSAGE_ROWS);
  private TableBlock channels = block(VoiceRecords.CHANNELS, CHANNEL_ROWS);

  /** What comes between two watermarks. */
  private record Part(
      List<TableBlock> messages, List<TableBlock> channels, long watermark, long due) {}

  private List<TableBlock> nextMessages = new ArrayList<>();
  private List<TableBlock> nextChannels = new ArrayList<>();

  /** A table that never changes. */
  private record OneTable(CellTable table) implements TableReader<CellTable> {
    @Override
    public CellTable at(long micros) {
      return table;
    }

    @Override
    public long broken() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /**
   * @param commands gets the commands, on the lane's thread
   */
  Lane(VoiceRules rules, CellTable cells, Consumer<TableBlock> commands) {
    this.commands = commands;
    volumes = new CellVolumes(rules, () -> new OneTable(cells));
    guard = new VoiceGuard(rules);
    volumes.open(AnalyzerContext.alone());
    guard.open(AnalyzerContext.alone());
  }

  /** Which of two lanes a controller belongs to; by the bit of the hash that tables use last. */
  static int of(int controller) {
    return Hash.of(controller) >>> SHIFT;
  }

  private static TableBlock block(RecordSchema records, int rows) {
    return new TableBlock(records.columnsWithPlace(), rows);
  }

  /** Takes the trace's record. */
  void add(VoiceTrace trace, long place) {
    if (trace.isMessage()) {
      addMessage(trace.time(), trace.msisdn(), trace.area(), trace.cell(), trace.bytes(), place);
      return;
    }
    addShare(trace.time(), trace.controller(), trace.inUse(), place);
  }

  /** Takes what a controller says of its voice channels. */
  void addShare(long time, long controller, double inUse, long place) {
    int row = channels.rows();
    channels.longs(0)[row] = time;
    channels.longs(1)[row] = controller;
    channels.doubles(2)[row] = inUse;
    channels = placed(channels, nextChannels, VoiceRecords.CHANNELS, place);
  }

  /** Takes a message. */
  void addMessage(long time, long msisdn, long area, long cell, long bytes, long place) {
    int row = messages.rows();
    messages.longs(0)[row] = time;
    messages.longs(1)[row] = msisdn;
    messages.longs(2)[row] = area;
    messages.longs(3)[row] = cell;
    messages.longs(4)[row] = bytes;
    messages = placed(messages, nextMessages, VoiceRecords.MESSAGES, place);
  }

  /** Gives the block that goes on. */
  private static TableBlock placed(
      TableBlock block, List<TableBlock> full, RecordSchema records, long place) {
    int row = block.rows();
    int columns = block.schema().size();
    block.longs(columns - 3)[row] = 0;
    block.longs(columns - 2)[row] = place;
    block.longs(columns - 1)[row] = 0;
    block.rows(row + 1);
    if (row + 1 < block.capacity()) {
      return block;
    }
    full.add(block);
    return block(records, block.capacity());
  }

  /**
   * Event time will pass that moment behind what was taken.
   *
   * @param due when all of it has come, on the clock of event time
   */
  void mark(long watermark, long due) {
    nextMessages.add(messages);
    nextChannels.add(channels);
    messages = block(VoiceRecords.MESSAGES, MESSAGE_ROWS);
    channels = block(VoiceRecords.CHANNELS, CHANNEL_ROWS);
    parts.add(new Part(nextMessages, nextChannels, watermark, due));
    nextMessages = new ArrayList<>();
    nextChannels = new ArrayList<>();
  }

  /** Works on all that was taken. */
  void run() throws Exception {
    for (Part part : parts) {
      run(part);
    }
    parts.clear();
  }

  /**
   * The same, each part when it is due.
   *
   * @param clock event time now, in microseconds
   */
  void runPaced(Clock clock) throws Exception {
    for (Part part : parts) {
      for (long left; (left = part.due - clock.micros()) > 0; ) {
        LockSupport.parkNanos(left * 1_000);
      }
      run(part);
    }
    parts.clear();
  }

  /** Event time, as if records were made now. */
  @FunctionalInterface
  interface Clock {
    /** In microseconds. */
    long micros();
  }

  private void run(Part part) throws Exception {
    for (TableBlock each : part.channels) {
      guard.processSecond(each, given);
    }
    for (TableBlock each : part.messages) {
      volumes.process(each, sums -> guard.processFirst(sums, given));
    }
    guard.watermark(part.watermark, given);
  }

  /** Commands are taken; how controllers are doing nobody reads. */
  private final class Commands implements Emitter<TableBlock> {
    @Override
    public void emit(TableBlock block) {
      commands.accept(block);
    }

    @Override
    public <B extends Block> void emit(Output<B> output, B block) {}
  }
}
