package io.millrace.engine.checker;

/** Deliberate defects, to show that the checker finds them. */
enum Breakage {
  /** None. */
  NONE,
  /** The table is not rewound after a failure. */
  NO_REWIND,
  /**
   * Subtasks append before subtask 0 has rewound the table, which rejects only former attempts and
   * then deletes their rows.
   */
  REWIND_AFTER_APPEND,
  /** A step continues to read a channel whose barrier it has seen while it waits for the others. */
  BARRIERS_NOT_ALIGNED,
  /** A step forwards the barrier, and takes its snapshot after the next element. */
  SNAPSHOT_AFTER_NEXT_ELEMENT,
  /** A source stores its offset one element late. */
  OFFSET_AFTER_NEXT_ELEMENT,
  /** The table accepts rows of former attempts of the job. */
  ROWS_NOT_FENCED,
  /** The table is rewound by former attempts of the job. */
  REWINDS_NOT_FENCED,
  /** A sum has the position of its first input instead of the last. */
  PLACE_OF_FIRST_INPUT,
  /** Both sources have the same partition number, as two topics would. */
  SOURCES_NOT_DISTINGUISHED
}
