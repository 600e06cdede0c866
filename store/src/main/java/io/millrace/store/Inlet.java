package io.millrace.store;

import io.millrace.wire.block.Block;

/**
 * One subtask's way into a table, wherever the table is: in this process ({@link TableInlet}) or
 * behind a connection ({@code io.millrace.store.remote.RemoteInlet}).
 *
 * <p>Calls come in this order: {@link #rewind}, on one inlet of the job alone; {@link #begin}, on
 * each and after the rewind has returned; then any number of {@link #append}, {@link #flush},
 * {@link #passed} and {@link #committed}; {@link #close} at any time. An error of an append may be
 * told by a later call. Used by one thread at a time.
 *
 * <p>All methods throw {@link FencedException} where the table has been rewound under a later
 * fencing token, {@link StoreException} where the store fails, also at work that it took on
 * earlier, and {@link WrongSchemaException} where no restart would help.
 *
 * @param <B> blocks of the table's rows
 * @param <P> how far a checkpoint covers the table: see {@link Table}
 */
public interface Inlet<B extends Block, P> extends TableWriter<B> {
  /**
   * As {@link Table#rewind}.
   *
   * @return number of rows deleted
   */
  long rewind(long token, P covered);

  /** From now on this inlet appends, under the fencing token of the table's last rewind. */
  void begin(long token);

  /**
   * Returns when what was flushed before would survive a power failure, as for {@link Store#sync}.
   * By any thread, beside other calls. Of no effect where a flush waits for that itself.
   */
  default void sync() {}

  /** As {@link Table#committed}, under the fencing token that was begun with. */
  void committed(long checkpoint, P covered);
}
