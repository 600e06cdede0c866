package io.millrace.analytics.quota;

import io.millrace.wire.block.TableBlock;
import java.io.Serializable;

/** Whether something is true of a record. */
@FunctionalInterface
public interface RecordCondition extends Serializable {
  /** True of every record. */
  RecordCondition ANY = (records, row) -> true;

  /**
   * Whether it is true of a record.
   *
   * @param records of a stream, with their places
   */
  boolean holds(TableBlock records, int row);
}
