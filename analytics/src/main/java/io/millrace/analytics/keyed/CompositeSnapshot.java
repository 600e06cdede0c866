package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.util.List;

record CompositeSnapshot(List<StateSnapshot> snapshots) implements StateSnapshot {
  @Override
  public boolean isEmpty(int group) {
    return snapshots.stream().allMatch(snapshot -> snapshot.isEmpty(group));
  }

  @Override
  public void write(int group, BlockBuffer out) throws IOException {
    for (StateSnapshot snapshot : snapshots) {
      snapshot.write(group, out);
    }
  }

  @Override
  public boolean hasChangesSince(StateSnapshot before) {
    if (!(before instanceof CompositeSnapshot other)
        || other.snapshots.size() != snapshots.size()) {
      return false;
    }
    for (int i = 0; i < snapshots.size(); i++) {
      if (!snapshots.get(i).hasChangesSince(other.snapshots.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean writeChanges(int group, StateSnapshot before, BlockBuffer out) throws IOException {
    List<StateSnapshot> others = ((CompositeSnapshot) before).snapshots;
    boolean changed = false;
    for (int i = 0; i < snapshots.size(); i++) {
      changed |= snapshots.get(i).writeChanges(group, others.get(i), out);
    }
    return changed;
  }

  @Override
  public void release() {
    snapshots.forEach(StateSnapshot::release);
  }
}
