package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes in checkpoint storage, with Flink's registry of shared state. */
class IncrementalSnapshotTest {
  private static final KeyGroups ALL = KeyGroups.all();
  private static final int KEYS = 2_000;

  /** Handles of this size are inlined in the metadata, without a file. */
  private static final int SMALL = 100;

  @TempDir java.nio.file.Path directory;

  private final Random random = new Random(3);
  private final KeyTable table = new KeyTable(ALL, 1, 1);
  private final Increments increments = new Increments();
  private final SharedStateRegistryImpl registry = new SharedStateRegistryImpl();
  private final Map<Long, KeyedStateHandle> kept = new HashMap<>();
  private CheckpointStreamFactory streams;

  @BeforeEach
  void makeStorage() throws IOException {
    streams = streams(SMALL);
  }

  private CheckpointStreamFactory streams(int small) throws IOException {
    Path own = new Path(Files.createDirectories(directory.resolve("own")).toUri());
    Path shared = new Path(Files.createDirectories(directory.resolve("shared")).toUri());
    return new FsCheckpointStreamFactory(
        LocalFileSystem.getSharedInstance(), own, shared, small, 4_096);
  }

  private void change(int keys) {
    for (int i = 0; i < keys; i++) {
      long key = random.nextInt(KEYS);
      int entry = table.entry(Hash.of(key), key);
      table.values(0)[entry]++;
      if (i % 5 == 0) {
        table.remove(random.nextInt(table.size()));
      }
    }
  }

  private FutureTask<SnapshotResult<KeyedStateHandle>> begin(long checkpoint) throws IOException {
    increments.begin(checkpoint);
    return new IncrementalSnapshot(
            checkpoint,
            new SharedSnapshot(table.snapshot()),
            increments.completed(),
            ALL,
            streams,
            increments)
        .toAsyncSnapshotFutureTask(new CloseableRegistry());
  }

  private KeyedStateHandle write(long checkpoint) throws Exception {
    FutureTask<SnapshotResult<KeyedStateHandle>> snapshot = begin(checkpoint);
    snapshot.run();
    return snapshot.get().getJobManagerOwnedSnapshot();
  }

  /** Like the coordinator: registers and completes a checkpoint, and subsumes earlier ones. */
  private void complete(long checkpoint, KeyedStateHandle handle, int retained) throws Exception {
    handle.registerSharedStates(registry, checkpoint);
    registry.checkpointCompleted(checkpoint);
    kept.put(checkpoint, handle);
    for (long old : List.copyOf(kept.keySet())) {
      if (kept.size() > retained && old < checkpoint) {
        registry.unregisterUnusedState(old + 1);
        kept.remove(old).discardState();
      }
    }
    increments.complete(checkpoint);
  }

  private static Map<Long, Long> content(KeyTable table) {
    Map<Long, Long> content = new HashMap<>();
    for (int entry = 0; entry < table.size(); entry++) {
      content.put(table.key(entry, 0), table.values(0)[entry]);
    }
    return content;
  }

  /** State of all subtasks after a restart; each must have only keys of its groups. */
  private static Map<Long, Long> restored(KeyedStateHandle handle, int subtasks) throws Exception {
    Map<Long, Long> content = new HashMap<>();
    for (int subtask = 0; subtask < subtasks; subtask++) {
      KeyGroups groups = KeyGroups.of(ALL.max(), subtask, subtasks);
      KeyedStateHandle part =
          handle.getIntersection(KeyGroupRange.of(groups.first(), groups.last()));
      OperatorSubtaskState state =
          OperatorSubtaskState.builder()
              .setManagedKeyedState(StateObjectCollection.singleton(part))
              .build();
      KeyTable restored = new KeyTable(groups, 1, 1);
      new KeyedRestore(
              groups,
              new CloseableRegistry(),
              (group, in) -> {
                assertThat(group).isBetween(groups.first(), groups.last());
                restored.restore(in);
              })
          .restore(new PrioritizedOperatorSubtaskState.Builder(state, List.of(), 1L).build());
      for (int entry = 0; entry < restored.size(); entry++) {
        assertThat(groups.holds(restored.hash(entry))).isTrue();
      }
      content.putAll(content(restored));
    }
    return content;
  }

  private Set<String> files(String of) {
    Set<String> names = new HashSet<>();
    try (Stream<java.nio.file.Path> files = Files.list(directory.resolve(of))) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return names;
  }

  @Test
  void aRestartAtAnyParallelismHasTheBaseAndAllChanges() throws Exception {
    List<Long> sizes = new ArrayList<>();
    change(5_000);
    for (long checkpoint = 1; checkpoint <= 4; checkpoint++) {
      KeyedStateHandle handle = write(checkpoint);
      complete(checkpoint, handle, 1);
      sizes.add(handle.getCheckpointedSize());
      for (int subtasks : new int[] {1, 2, 4, 3}) {
        assertThat(restored(handle, subtasks)).isEqualTo(content(table));
      }
      change(20);
    }
    assertThat(files("shared")).hasSizeBetween(2, 4);
    assertThat(sizes.get(1)).isLessThan(sizes.get(0) / 2);
  }

  @Test
  void aBaseLivesAsLongAsACheckpointNeedsIt() throws Exception {
    change(5_000);
    complete(1, write(1), 2);
    Set<String> base = files("shared");
    change(10);
    complete(2, write(2), 2);
    change(10);
    complete(3, write(3), 2);

    assertThat(files("shared")).containsAll(base);
    assertThat(kept).containsOnlyKeys(2L, 3L);
    increments.clear(); // the next snapshot is a base
    complete(4, write(4), 2);
    assertThat(files("shared")).containsAll(base);
    assertThat(restored(kept.get(3L), 1)).isNotEmpty();
    complete(5, write(5), 2);
    assertThat(files("shared")).doesNotContainAnyElementsOf(base);
    assertThat(restored(kept.get(5L), 2)).isEqualTo(content(table));
  }

  @Test
  void aCheckpointThatIsDiscardedTakesNothingOfTheOthersWithIt() throws Exception {
    change(5_000);
    complete(1, write(1), 1);
    Set<String> base = files("shared");
    change(500);
    KeyedStateHandle failed = write(2);
    assertThat(files("shared")).hasSizeGreaterThan(base.size());
    failed.discardState(); // declined by another subtask: never registered
    increments.abort(2);
    assertThat(files("shared")).isEqualTo(base);
    change(500);

    KeyedStateHandle handle = write(3);
    complete(3, handle, 1);

    assertThat(restored(handle, 2)).isEqualTo(content(table));
  }

  @Test
  void theNextCheckpointBuildsUponTheLastThatCompleted() throws Exception {
    change(5_000);
    complete(1, write(1), 1);
    change(300);
    FutureTask<SnapshotResult<KeyedStateHandle>> slow = begin(2);
    Map<Long, Long> atTwo = content(table);
    change(300);
    KeyedStateHandle three = write(3); // while the previous one is not written yet
    slow.run();
    KeyedStateHandle two = slow.get().getJobManagerOwnedSnapshot();
    complete(2, two, 2);
    assertThat(restored(two, 1)).isEqualTo(atTwo);
    complete(3, three, 2);
    assertThat(restored(three, 1)).isEqualTo(content(table));
  }

  @Test
  void aCheckpointThatIsCancelledOrCannotBeWrittenLeavesNoFile() throws Exception {
    change(5_000);
    complete(1, write(1), 1);
    Set<String> base = files("shared");
    change(500);
    FutureTask<SnapshotResult<KeyedStateHandle>> cancelled = begin(2);
    cancelled.cancel(true);
    increments.abort(2);
    streams = new FailingStreams(streams(SMALL));
    FutureTask<SnapshotResult<KeyedStateHandle>> failed = begin(3);
    failed.run();
    assertThatThrownBy(failed::get).hasRootCauseMessage(FailingStreams.MESSAGE);
    increments.abort(3);
    assertThat(files("shared")).isEqualTo(base);
    streams = streams(SMALL);

    KeyedStateHandle handle = write(4);
    complete(4, handle, 1);

    assertThat(restored(handle, 4)).isEqualTo(content(table));
  }

  @Test
  void smallChangesStandInTheMetadata() throws Exception {
    streams = streams(1 << 20);
    change(100);
    complete(1, write(1), 1);
    change(5);
    KeyedStateHandle handle = write(2);
    complete(2, handle, 1);

    assertThat(files("shared")).isEmpty();
    assertThat(restored(handle, 2)).isEqualTo(content(table));
  }
}
