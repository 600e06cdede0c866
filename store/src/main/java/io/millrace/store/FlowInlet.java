package io.millrace.store;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;

/**
 * One subtask's way into a table, wherever the table is: in this process ({@link TableInlet}) or
 * behind a connection ({@code io.millrace.store.remote.RemoteInlet}).
 *
 * <p>Calls come in this order: {@link #rewind}, on one inlet of the job alone; {@link #begin}, on
 * each and after the rewind has returned; then any number of {@link #append}, {@link #flush} and
 * {@link #committed}; {@link #close} at any time. Used by one thread at a time.
 *
 * <p>All methods throw {@link FencedException} where the table has been rewound under a later
 * ticket, {@link StoreException} where the store fails, also at work that it took on earlier, and
 * {@link WrongSchemaException} where no restart would help.
 */
public interface FlowInlet extends AutoCloseable {
  /** What the last completed checkpoint covered when the inlet was opened. */
  Frontier committed();

  /**
   * As {@link FlowTable#rewind(long, Frontier)}.
   *
   * @return number of rows deleted
   */
  long rewind(long ticket, Frontier frontier);

  /** From now on this inlet appends, under the ticket of the table's last rewind. */
  void begin(long ticket);

  /** As {@link FlowWriter#append}. An error may be told by a later call. */
  void append(FlowBlock block);

  /** As {@link FlowWriter#flush}. */
  void flush();

  /** As {@link FlowTable#committed(long, long, Frontier)}, under the ticket that was begun with. */
  void committed(long checkpoint, Frontier frontier);

  /** Gives the way back; rows that were not flushed may be lost. */
  @Override
  void close();
}
