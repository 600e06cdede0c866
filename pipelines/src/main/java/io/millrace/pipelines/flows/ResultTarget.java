package io.millrace.pipelines.flows;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.RewindableTarget;
import io.millrace.pipelines.plugins.PluginCall;
import io.millrace.store.ResultTable;
import io.millrace.store.ResultWriter;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.TableBlock;

/** A table of results as the stream job's sink. One for each subtask; used by its thread alone. */
final class ResultTarget implements RewindableTarget<TableBlock, Long> {
  private final String store;
  private final PluginCall plugin;
  private ResultTable table;
  private ResultWriter writer;

  /** Tag of the rows that come now. */
  private long checkpoint = CheckpointCoverage.NONE;

  ResultTarget(String store, PluginCall plugin) {
    this.store = store;
    this.plugin = plugin;
  }

  @Override
  public void open() {
    try {
      table = LocalStores.get(store).results(plugin.name(), plugin.result());
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void rewind(long ticket, Long covered) {
    table.rewind(ticket, covered);
  }

  @Override
  public void begin(long ticket) {
    writer = table.writer(ticket);
  }

  @Override
  public void append(TableBlock block) {
    try {
      writer.append(block, checkpoint);
    } catch (WrongSchemaException e) {
      throw new UnmendableException(e.getMessage());
    }
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public void passed(long checkpointId) {
    checkpoint = checkpointId;
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
