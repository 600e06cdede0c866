package io.millrace.store;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.time.Duration;

/** The way into a table that is open in this process. */
public final class TableInlet implements FlowInlet {
  private final FlowTable table;
  private final Duration longestWait;
  private long ticket;
  private FlowWriter writer;

  /**
   * @param table that stays open when the inlet is closed
   * @param longestWait how long a row may wait before it is made visible
   */
  public TableInlet(FlowTable table, Duration longestWait) {
    this.table = table;
    this.longestWait = longestWait;
  }

  @Override
  public Frontier committed() {
    return table.committed();
  }

  @Override
  public long rewind(long ticket, Frontier frontier) {
    return table.rewind(ticket, frontier);
  }

  @Override
  public void begin(long ticket) {
    if (writer != null) {
      throw new IllegalStateException("this inlet has begun already");
    }
    writer = table.writer(ticket, longestWait);
    this.ticket = ticket;
  }

  private FlowWriter writer() {
    if (writer == null) {
      throw new IllegalStateException("this inlet has not begun");
    }
    return writer;
  }

  @Override
  public void append(FlowBlock block) {
    writer().append(block);
  }

  @Override
  public void flush() {
    writer().flush();
  }

  @Override
  public void committed(long checkpoint, Frontier frontier) {
    writer();
    table.committed(ticket, checkpoint, frontier);
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
