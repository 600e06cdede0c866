package io.millrace.store;

import io.millrace.wire.block.TableBlock;

/** The way into a table of results that is open in this process. */
public final class ResultTableInlet implements ResultInlet {
  private final ResultTable table;
  private ResultWriter writer;

  /**
   * @param table that stays open when the inlet is closed
   */
  public ResultTableInlet(ResultTable table) {
    this.table = table;
  }

  @Override
  public long rewind(long ticket, long checkpoint) {
    return table.rewind(ticket, checkpoint);
  }

  @Override
  public void begin(long ticket) {
    if (writer != null) {
      throw new IllegalStateException("this inlet has begun already");
    }
    writer = table.writer(ticket);
  }

  private ResultWriter writer() {
    if (writer == null) {
      throw new IllegalStateException("this inlet has not begun");
    }
    return writer;
  }

  @Override
  public void append(TableBlock block, long checkpoint) {
    writer().append(block, checkpoint);
  }

  @Override
  public void flush() {
    writer().flush();
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
