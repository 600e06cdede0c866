package io.millrace.engine.operator;

import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a subtask has in checkpoint storage: the snapshot and the files of the last completed
 * checkpoint, upon which the next one may write what has changed.
 *
 * <p>Only a completed checkpoint may be built upon: the files of one that failed are deleted.
 * Snapshots that are kept for that: of the last completed checkpoint, and of two that are being
 * taken at most. Thread-safe: checkpoints are written beside the work that hears of their end.
 */
final class Increments {
  /** Snapshots whose checkpoints may still complete. */
  private static final int MOST_OPEN = 2;

  /**
   * State of a checkpoint, as far as it is written.
   *
   * @param snapshot held, for as long as it stands here
   * @param files a base and the changes since, in their order
   */
  record WrittenFiles(SharedSnapshot snapshot, List<GroupFile> files) {
    /** Whether a restart would read half as much again as one base: then a new base is due. */
    boolean isLong() {
      long base = files.get(0).handle().getStateSize();
      long all = files.stream().mapToLong(file -> file.handle().getStateSize()).sum();
      return 2 * (all - base) > base;
    }
  }

  /** Names the subtask's state in the life of this operator. */
  private final UUID id = UUID.randomUUID();

  /** By checkpoint; null for one whose writing has not ended. */
  private final TreeMap<Long, WrittenFiles> open = new TreeMap<>();

  private WrittenFiles completed;
  private long wholeBytes;

  UUID id() {
    return id;
  }

  /** Size of the last state that was written whole. */
  synchronized long wholeBytes() {
    return wholeBytes;
  }

  synchronized void writtenWhole(long bytes) {
    wholeBytes = bytes;
  }

  /** A checkpoint begins whose state others may build upon. */
  synchronized void begin(long checkpoint) {
    open.put(checkpoint, null);
    while (open.size() > MOST_OPEN) {
      forget(open.firstKey());
    }
  }

  /** The last completed checkpoint, its snapshot held once more; null if there is none. */
  synchronized WrittenFiles completed() {
    if (completed != null) {
      completed.snapshot().hold();
    }
    return completed;
  }

  /** All of a checkpoint is written; whether it completes is heard later. */
  synchronized void written(long checkpoint, WrittenFiles state) {
    if (open.containsKey(checkpoint)) {
      state.snapshot().hold();
      open.put(checkpoint, state);
    }
  }

  /** A checkpoint is complete at all subtasks; all before it that did not are over. */
  synchronized void complete(long checkpoint) {
    WrittenFiles state = open.get(checkpoint);
    if (state != null) {
      if (completed != null) {
        completed.snapshot().letGo();
      }
      state.snapshot().hold();
      completed = state;
    }
    while (!open.isEmpty() && open.firstKey() <= checkpoint) {
      forget(open.firstKey());
    }
  }

  /** A checkpoint will not complete. */
  synchronized void abort(long checkpoint) {
    if (open.containsKey(checkpoint)) {
      forget(checkpoint);
    }
  }

  /** No later checkpoint may refer to an earlier one any more. */
  synchronized void clear() {
    while (!open.isEmpty()) {
      forget(open.firstKey());
    }
    if (completed != null) {
      completed.snapshot().letGo();
      completed = null;
    }
  }

  private void forget(long checkpoint) {
    WrittenFiles state = open.remove(checkpoint);
    if (state != null) {
      state.snapshot().letGo();
    }
  }
}
