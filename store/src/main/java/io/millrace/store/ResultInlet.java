package io.millrace.store;

import io.millrace.wire.block.TableBlock;

/**
 * One subtask's way into a table of results, wherever the table is: in this process ({@link
 * ResultTableInlet}) or behind a connection ({@code io.millrace.store.remote.RemoteResultInlet}).
 *
 * <p>Calls come in this order: {@link #rewind}, on one inlet of the job alone; {@link #begin}, on
 * each and after the rewind has returned; then any number of {@link #append} and {@link #flush};
 * {@link #close} at any time. Used by one thread at a time.
 *
 * <p>All methods throw {@link FencedException} where the table has been rewound under a later
 * ticket, {@link StoreException} where the store fails, also at work that it took on earlier, and
 * {@link WrongSchemaException} where no restart would help.
 */
public interface ResultInlet extends AutoCloseable {
  /**
   * As {@link ResultTable#rewind}.
   *
   * @return number of rows deleted
   */
  long rewind(long ticket, long checkpoint);

  /** From now on this inlet appends, under the ticket of the table's last rewind. */
  void begin(long ticket);

  /** As {@link ResultWriter#append}. An error may be told by a later call. */
  void append(TableBlock block, long checkpoint);

  /** As {@link ResultWriter#flush}. */
  void flush();

  /** Gives the way back; rows that were not flushed are lost. */
  @Override
  void close();
}
