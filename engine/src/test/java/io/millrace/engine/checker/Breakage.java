package io.millrace.engine.checker;

/** What is broken on purpose, to show that the checker sees it. */
enum Breakage {
  /** Nothing. */
  NONE,
  /** After a failure the table keeps what it has. */
  NO_REWIND,
  /**
   * Subtasks append before subtask 0 has rewound the table, which refuses former lives alone and
   * then takes their rows away.
   */
  REWIND_AFTER_APPEND,
  /** A step reads on from a channel whose barrier it has seen while it waits for the others. */
  BARRIERS_NOT_ALIGNED,
  /** A step hands the barrier on, and takes its snapshot after the next element. */
  SNAPSHOT_AFTER_NEXT_ELEMENT,
  /** A source notes its offset one element late. */
  OFFSET_AFTER_NEXT_ELEMENT,
  /** The table takes rows of lives of the job that are over. */
  ROWS_NOT_FENCED,
  /** The table is rewound by lives of the job that are over. */
  REWINDS_NOT_FENCED,
  /** A sum has the place of the first input in it, in place of the last. */
  PLACE_OF_FIRST_INPUT,
  /** Both sources count their offsets as those of one partition, as two topics would. */
  SOURCES_NOT_TOLD_APART
}
