package io.millrace.analytics.quota;

import io.millrace.wire.block.TableBlock;
import java.io.Serializable;

/** Condition on a record. */
@FunctionalInterface
public interface RecordCondition extends Serializable {
  /** Matches every record. */
  RecordCondition ANY = (records, row) -> true;

  /**
   * Whether it matches a record.
   *
   * @param records of a stream, with their log positions
   */
  boolean holds(TableBlock records, int row);
}
