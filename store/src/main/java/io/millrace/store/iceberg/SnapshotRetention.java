package io.millrace.store.iceberg;

import io.millrace.store.storage.TableStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;

/** Keeps replaced snapshots, and their files, as long as queries may read them. */
final class SnapshotRetention {
  /** How long a snapshot is kept after it is replaced. */
  static final Duration AGE = Duration.ofMinutes(15);

  private SnapshotRetention() {}

  /**
   * Expires snapshots that were replaced at least {@code age} ago, and deletes files that no other
   * snapshot lists.
   */
  static void expire(Table table, Duration age) {
    expireBefore(
            StreamSupport.stream(table.snapshots().spliterator(), false)
                .mapToLong(Snapshot::timestampMillis),
            System.currentTimeMillis() - age.toMillis())
        .ifPresent(
            millis -> table.expireSnapshots().expireOlderThan(millis).retainLast(1).commit());
  }

  /**
   * Commit time before which all snapshots were replaced by {@code deadline}: that of the newest
   * snapshot at the deadline. An old snapshot may have been replaced only now.
   *
   * @param committed times of all snapshots
   * @return empty if none was committed by the deadline
   */
  static OptionalLong expireBefore(LongStream committed, long deadline) {
    return committed.filter(time -> time <= deadline).max();
  }

  /** Files that the newest snapshot no longer lists, but an earlier one does. */
  static Set<Path> replacedFiles(Table table, TableStorage storage) {
    Set<Path> paths = new HashSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      if (!snapshot.operation().equals(DataOperations.APPEND)) {
        SnapshotChanges changes = SnapshotChanges.builderFor(table).snapshot(snapshot).build();
        for (DataFile file : changes.removedDataFiles()) {
          paths.add(storage.path(file.location()));
        }
      }
    }
    return paths;
  }
}
