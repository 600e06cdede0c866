package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.util.concurrent.atomic.AtomicReference;

abstract class EntrySnapshot implements StateSnapshot {
  private final EntryMemory memory;
  private final AtomicReference<EntryColumns> columns;

  EntrySnapshot(EntryMemory memory, EntryColumns columns) {
    this.memory = memory;
    this.columns = new AtomicReference<>(columns);
  }

  final EntryColumns columns() {
    EntryColumns now = columns.get();
    if (now == null) {
      throw new IllegalStateException("the snapshot has been released");
    }
    return now;
  }

  @Override
  public final boolean isEmpty(int group) {
    return columns().count(group) == 0;
  }

  @Override
  public final void write(int group, BlockBuffer out) {
    write(group, columns(), out);
  }

  abstract void write(int group, EntryColumns columns, BlockBuffer out);

  @Override
  public boolean hasChangesSince(StateSnapshot before) {
    return before instanceof EntrySnapshot snapshot && snapshot.memory == memory;
  }

  @Override
  public final boolean writeChanges(int group, StateSnapshot before, BlockBuffer out) {
    return writeChanges(group, columns(), ((EntrySnapshot) before).columns(), out);
  }

  abstract boolean writeChanges(
      int group, EntryColumns columns, EntryColumns before, BlockBuffer out);

  @Override
  public final void release() {
    EntryColumns done = columns.getAndSet(null);
    if (done != null) {
      memory.release(done);
    }
  }
}
