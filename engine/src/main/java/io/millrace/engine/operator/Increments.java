package io.millrace.engine.operator;

import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Incremental checkpoints of a subtask: snapshot and files of the last completed one, which the
 * next one extends. A failed one is not extended, since its files are deleted. Holds at most three
 * snapshots: that of the last completed checkpoint and two pending ones. Thread-safe.
 */
final class Increments {
  private static final int MAX_OPEN = 2;

  /**
   * Snapshot, held by this record, and files of a checkpoint: a base and the changes since, in
   * order.
   */
  record WrittenFiles(SharedSnapshot snapshot, List<GroupFile> files) {
    /** Whether a restore would read more than 1.5 times the base, so that a new base is due. */
    boolean isLong() {
      long base = files.get(0).handle().getStateSize();
      long all = files.stream().mapToLong(file -> file.handle().getStateSize()).sum();
      return 2 * (all - base) > base;
    }
  }

  private final UUID id = UUID.randomUUID();

  /** Pending checkpoints by id; null while being written. */
  private final TreeMap<Long, WrittenFiles> open = new TreeMap<>();

  private WrittenFiles completed;
  private long wholeBytes;

  UUID id() {
    return id;
  }

  synchronized long wholeBytes() {
    return wholeBytes;
  }

  synchronized void writtenWhole(long bytes) {
    wholeBytes = bytes;
  }

  synchronized void begin(long checkpoint) {
    open.put(checkpoint, null);
    while (open.size() > MAX_OPEN) {
      forget(open.firstKey());
    }
  }

  synchronized WrittenFiles completed() {
    if (completed != null) {
      completed.snapshot().hold();
    }
    return completed;
  }

  synchronized void written(long checkpoint, WrittenFiles state) {
    if (open.containsKey(checkpoint)) {
      state.snapshot().hold();
      open.put(checkpoint, state);
    }
  }

  synchronized void complete(long checkpoint) {
    WrittenFiles state = open.get(checkpoint);
    if (state != null) {
      if (completed != null) {
        completed.snapshot().release();
      }
      state.snapshot().hold();
      completed = state;
    }
    while (!open.isEmpty() && open.firstKey() <= checkpoint) {
      forget(open.firstKey());
    }
  }

  synchronized void abort(long checkpoint) {
    if (open.containsKey(checkpoint)) {
      forget(checkpoint);
    }
  }

  synchronized void clear() {
    while (!open.isEmpty()) {
      forget(open.firstKey());
    }
    if (completed != null) {
      completed.snapshot().release();
      completed = null;
    }
  }

  private void forget(long checkpoint) {
    WrittenFiles state = open.remove(checkpoint);
    if (state != null) {
      state.snapshot().release();
    }
  }
}
