package io.millrace.lab.voice;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.voice.VoiceGuard;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.table.TableReader;
import io.millrace.lab.records.Lane;
import io.millrace.lab.records.RecordBlocks;
import io.millrace.pipelines.voice.CellTable;
import io.millrace.pipelines.voice.CellVolumes;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The steps of the pipeline for some of the controllers; channel reports are processed first. */
final class VoiceLane extends Lane {
  private static final int MESSAGE_ROWS = 8_192;
  private static final int CHANNEL_ROWS = 64;

  private final CellVolumes volumes;
  private final VoiceGuard guard;
  private final Consumer<TableBlock> commands;
  private final Emitter<TableBlock> given = new Commands();

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
   * @param commands receives the commands, on the lane's thread
   */
  VoiceLane(VoiceRules rules, CellTable cells, Consumer<TableBlock> commands) {
    super(
        new RecordBlocks(VoiceRecords.MESSAGES, MESSAGE_ROWS),
        new RecordBlocks(VoiceRecords.CHANNELS, CHANNEL_ROWS));
    this.commands = commands;
    volumes = new CellVolumes(rules, () -> new OneTable(cells));
    guard = new VoiceGuard(rules);
    volumes.open(AnalyzerContext.alone());
    guard.open(AnalyzerContext.alone());
  }

  @Override
  protected void run(
      List<TableBlock> messages, List<TableBlock> channels, long watermark, LongSupplier clock)
      throws Exception {
    for (TableBlock each : channels) {
      guard.processSecond(each, given);
    }
    for (TableBlock each : messages) {
      volumes.process(each, sums -> guard.processFirst(sums, given));
    }
    guard.watermark(watermark, given);
  }

  /** Passes on commands and drops all other outputs. */
  private final class Commands implements Emitter<TableBlock> {
    @Override
    public void emit(TableBlock block) {
      commands.accept(block);
    }

    @Override
    public <B extends Block> void emit(Output<B> output, B block) {}
  }
}
