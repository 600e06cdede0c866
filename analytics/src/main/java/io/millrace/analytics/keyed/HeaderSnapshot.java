package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;

record HeaderSnapshot(int head, StateSnapshot state) implements StateSnapshot {
  @Override
  public boolean isEmpty(int group) {
    return state.isEmpty(group);
  }

  @Override
  public void write(int group, BlockBuffer out) throws IOException {
    out.putInt(head);
    state.write(group, out);
  }

  @Override
  public boolean hasChangesSince(StateSnapshot before) {
    return before instanceof HeaderSnapshot other
        && other.head == head
        && state.hasChangesSince(other.state);
  }

  @Override
  public boolean writeChanges(int group, StateSnapshot before, BlockBuffer out) throws IOException {
    out.putInt(head);
    return state.writeChanges(group, ((HeaderSnapshot) before).state, out);
  }

  @Override
  public void release() {
    state.release();
  }
}
