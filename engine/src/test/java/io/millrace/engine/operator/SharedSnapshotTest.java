package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import java.util.concurrent.FutureTask;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.Test;

/** A snapshot releases its memory exactly once, however its checkpoint ends. */
class SharedSnapshotTest {
  private static final KeyGroups ALL = KeyGroups.all();

  private final CloseableRegistry task = new CloseableRegistry();
  private final Increments increments = new Increments();

  private static final class Probe implements StateSnapshot {
    private int released;
    private boolean fails;
    private Runnable meanwhile = () -> {};

    @Override
    public boolean isEmpty(int group) {
      return false;
    }

    @Override
    public void write(int group, BlockBuffer out) throws IOException {
      assertThat(released).isZero();
      meanwhile.run();
      if (fails) {
        throw new IOException("cannot be written");
      }
      out.putInt(group);
    }

    @Override
    public boolean hasChangesSince(StateSnapshot before) {
      return true;
    }

    @Override
    public boolean writeChanges(int group, StateSnapshot before, BlockBuffer out) {
      assertThat(released).isZero();
      assertThat(((Probe) before).released).isZero();
      meanwhile.run();
      out.putInt(group);
      return true;
    }

    @Override
    public void release() {
      released++;
    }
  }

  private FutureTask<SnapshotResult<KeyedStateHandle>> whole(Probe snapshot) throws IOException {
    return new KeyedSnapshot(
            new SharedSnapshot(snapshot), ALL, new MemCheckpointStreamFactory(1 << 20), increments)
        .toAsyncSnapshotFutureTask(task);
  }

  private FutureTask<SnapshotResult<KeyedStateHandle>> changes(long checkpoint, Probe snapshot)
      throws IOException {
    increments.begin(checkpoint);
    return new IncrementalSnapshot(
            checkpoint,
            new SharedSnapshot(snapshot),
            increments.completed(),
            ALL,
            new MemCheckpointStreamFactory(1 << 20),
            increments)
        .toAsyncSnapshotFutureTask(task);
  }

  @Test
  void whenItIsWritten() throws IOException {
    Probe snapshot = new Probe();
    whole(snapshot).run();
    assertThat(snapshot.released).isEqualTo(1);
    assertThat(increments.wholeBytes()).isPositive();
  }

  @Test
  void whenItCannotBeWritten() throws IOException {
    Probe snapshot = new Probe();
    snapshot.fails = true;
    whole(snapshot).run();
    assertThat(snapshot.released).isEqualTo(1);
  }

  @Test
  void whenTheCheckpointIsAbortedBeforeItIsWritten() throws IOException {
    Probe snapshot = new Probe();
    FutureTask<?> write = whole(snapshot);
    write.cancel(true);
    write.run();
    assertThat(snapshot.released).isEqualTo(1);
  }

  @Test
  void whenTheCheckpointIsAbortedWhileItIsWritten() throws IOException {
    Probe snapshot = new Probe();
    FutureTask<?> write = whole(snapshot);
    snapshot.meanwhile =
        () -> {
          write.cancel(true);
          assertThat(snapshot.released).isZero(); // it is still being read
        };
    write.run();
    assertThat(write.isCancelled()).isTrue();
    assertThat(snapshot.released).isEqualTo(1);
  }

  @Test
  void ofACompletedCheckpointWhenTheNextOneCompletes() throws IOException {
    Probe first = new Probe();
    changes(1, first).run();
    increments.complete(1);
    Probe second = new Probe();
    FutureTask<?> next = changes(2, second);
    assertThat(first.released).isZero();
    next.run();
    assertThat(first.released).isZero();
    increments.complete(2);
    assertThat(first.released).isEqualTo(1);
    assertThat(second.released).isZero();
    increments.clear();
    assertThat(second.released).isEqualTo(1);
  }

  @Test
  void ofACompletedCheckpointNotWhileTheNextButOneIsComparedWithIt() throws IOException {
    Probe first = new Probe();
    changes(1, first).run();
    increments.complete(1);
    Probe second = new Probe();
    changes(2, second).run();
    Probe third = new Probe();
    FutureTask<?> late = changes(3, third); // before the notification that the second is complete
    increments.complete(2);
    assertThat(first.released).isZero();
    late.run();
    assertThat(first.released).isEqualTo(1);
    increments.abort(3);
    assertThat(third.released).isEqualTo(1);
    assertThat(second.released).isZero();
  }

  @Test
  void ofCheckpointsWithoutANotification() throws IOException {
    Probe first = new Probe();
    changes(1, first).run();
    Probe second = new Probe();
    changes(2, second).run();
    assertThat(first.released).isZero();
    Probe third = new Probe();
    changes(3, third).run();
    assertThat(first.released).isEqualTo(1);
    increments.complete(3);
    assertThat(second.released).isEqualTo(1);
    assertThat(third.released).isZero();
  }

  @Test
  void ofACheckpointThatIsAbortedWhileItIsWritten() throws IOException {
    Probe snapshot = new Probe();
    FutureTask<?> write = changes(1, snapshot);
    snapshot.meanwhile = () -> increments.abort(1);
    write.run();
    assertThat(snapshot.released).isEqualTo(1);
    assertThat(increments.completed()).isNull();
  }
}
