package io.millrace.lab.voice;

import io.millrace.analytics.voice.VoiceRules;
import io.millrace.lab.records.Lanes;
import io.millrace.lab.records.RecordTarget;
import io.millrace.pipelines.voice.CellTable;
import io.millrace.traffic.voice.VoiceTrace;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Synthetic records and their cells. */
final class VoiceLoad {
  static final long MICROS = 1_000_000;

  /** Start of historical traces. */
  static final long START = 1_700_000_000 * MICROS;

  static final int CONTROLLERS = 200;

  /** Maximum disorder of records, in microseconds. */
  static final long DISORDER = 50_000;

  private VoiceLoad() {}

  private static CellTable cells() throws IOException {
    return new CellTable.Csv().parse(cellsText().getBytes(StandardCharsets.UTF_8));
  }

  static String cellsText() {
    return VoiceTrace.cellsText(CONTROLLERS);
  }

  static Lanes<VoiceLane> lanes(VoiceRules rules, Consumer<TableBlock> commands)
      throws IOException {
    CellTable cells = cells();
    return new Lanes<>(() -> new VoiceLane(rules, cells, commands));
  }

  static void add(VoiceTrace trace, Lanes<VoiceLane> lanes) {
    VoiceLane lane = lanes.of(trace.controller());
    add(trace, lane.first(), lane.second());
  }

  /** Advances event time; all later records have at least this time. */
  static void mark(Lanes<VoiceLane> lanes, long moment) {
    lanes.mark(moment - 1, moment + DISORDER);
  }

  static void add(VoiceTrace trace, RecordTarget ofMessages, RecordTarget ofChannels) {
    if (trace.isMessage()) {
      addMessage(
          ofMessages, trace.time(), trace.msisdn(), trace.area(), trace.cell(), trace.bytes());
    } else {
      addShare(ofChannels, trace.time(), trace.controller(), trace.inUse());
    }
  }

  static void addMessage(
      RecordTarget to, long time, long msisdn, long area, long cell, long bytes) {
    TableBlock block = to.block(msisdn);
    int row = block.rows();
    block.longs(0)[row] = time;
    block.longs(1)[row] = msisdn;
    block.longs(2)[row] = area;
    block.longs(3)[row] = cell;
    block.longs(4)[row] = bytes;
    to.add(msisdn);
  }

  static void addShare(RecordTarget to, long time, long controller, double inUse) {
    TableBlock block = to.block(controller);
    int row = block.rows();
    block.longs(0)[row] = time;
    block.longs(1)[row] = controller;
    block.doubles(2)[row] = inUse;
    to.add(controller);
  }
}
