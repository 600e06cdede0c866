package io.millrace.store;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.function.LongFunction;

/** The way into a table that is open in this process, and stays open when the inlet is closed. */
public final class TableInlet<B extends Block, P> implements Inlet<B, P> {
  private final Store store;
  private final Table<P> table;
  private final LongFunction<? extends TableWriter<B>> writers;
  private long token;
  private long checkpoint;
  private TableWriter<B> writer;

  private TableInlet(Store store, Table<P> table, LongFunction<? extends TableWriter<B>> writers) {
    this.store = store;
    this.table = table;
    this.writers = writers;
  }

  /**
   * The way into a table of flows.
   *
   * @param store in which it is
   * @param longestWait how long a row may wait before it is made visible
   */
  public static TableInlet<FlowBlock, Frontier> of(
      Store store, FlowTable table, Duration longestWait) {
    return new TableInlet<>(store, table, token -> table.writer(token, longestWait));
  }

  /** The way into a table of results of a store. */
  public static TableInlet<TableBlock, Long> of(Store store, ResultTable table) {
    return new TableInlet<>(store, table, table::writer);
  }

  @Override
  public void sync() {
    store.sync();
  }

  @Override
  public long rewind(long next, P covered) {
    return table.rewind(next, covered);
  }

  @Override
  public void begin(long mine) {
    if (writer != null) {
      throw new IllegalStateException("this inlet has begun already");
    }
    writer = writers.apply(mine);
    writer.passed(checkpoint);
    token = mine;
  }

  private TableWriter<B> writer() {
    if (writer == null) {
      throw new IllegalStateException("this inlet has not begun");
    }
    return writer;
  }

  @Override
  public void append(B block) {
    writer().append(block);
  }

  @Override
  public void passed(long id) {
    checkpoint = id;
    if (writer != null) {
      writer.passed(id);
    }
  }

  @Override
  public void flush() {
    writer().flush();
  }

  @Override
  public void committed(long id, P covered) {
    writer();
    table.committed(token, id, covered);
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
