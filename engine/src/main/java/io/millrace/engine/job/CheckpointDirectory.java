package io.millrace.engine.job;

import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/**
 * The checkpoints of one job on disk: {@code chk-N} directories, each complete when it holds {@code
 * _metadata}, which Flink writes last.
 *
 * <p>Used between two runs of the job, by one thread.
 */
public final class CheckpointDirectory {
  /** A checkpoint that can be restored. */
  public record Checkpoint(long id, Path path) {}

  static final int KEPT = 2;

  private static final Pattern NAME = Pattern.compile("chk-(\\d+)");
  private static final String SHARED =
      AbstractFsCheckpointStorageAccess.CHECKPOINT_SHARED_STATE_DIR;
  private static final String UNREADABLE = "unreadable-";

  private final Path directory;
  private final List<String> problems = new ArrayList<>();

  /** Checkpoints in a directory, which need not exist. */
  public CheckpointDirectory(Path directory) {
    this.directory = directory;
  }

  /**
   * The newest intact checkpoint; empty if there is none. Damaged newer ones are renamed, so that
   * their numbers can be reused, and reported in {@link #problems}.
   */
  public Optional<Checkpoint> newest() {
    for (Checkpoint checkpoint : complete()) {
      try {
        files(checkpoint).check();
        return Optional.of(checkpoint);
      } catch (IOException | RuntimeException e) {
        setAside(checkpoint, e);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the newest checkpoint for a job that starts now, and deletes those that are no longer
   * needed.
   */
  Optional<Checkpoint> newestForStart() {
    Optional<Checkpoint> newest = newest();
    sweep(KEPT);
    return newest;
  }

  private void setAside(Checkpoint checkpoint, Exception cause) {
    Path aside = directory.resolve(UNREADABLE + checkpoint.path().getFileName());
    try {
      DirectoryTree.delete(aside);
      Files.move(checkpoint.path(), aside);
      problems.add(
          "checkpoint "
              + checkpoint.id()
              + " is damaged; renamed to "
              + aside
              + ", the job starts from the previous checkpoint: "
              + cause.getMessage());
    } catch (IOException e) {
      e.addSuppressed(cause);
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Deletes incomplete checkpoints, and complete ones except the newest {@code keep}. Flink itself
   * does not delete checkpoints of earlier processes.
   */
  public void sweep(int keep) {
    List<Checkpoint> kept = complete().stream().limit(keep).toList();
    try {
      for (Checkpoint checkpoint : all()) {
        if (!kept.contains(checkpoint)) {
          DirectoryTree.delete(checkpoint.path());
        }
      }
      sweepShared(kept);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void sweepShared(List<Checkpoint> kept) throws IOException {
    Path shared = directory.resolve(SHARED);
    if (!Files.isDirectory(shared)) {
      return;
    }
    Set<String> used = new HashSet<>();
    for (Checkpoint checkpoint : kept) {
      try {
        files(checkpoint).metadata().getOperatorStates().stream()
            .flatMap(operator -> operator.getStates().stream())
            .flatMap(subtask -> subtask.getManagedKeyedState().stream())
            .filter(IncrementalKeyedStateHandle.class::isInstance)
            .flatMap(
                state -> ((IncrementalKeyedStateHandle) state).getSharedStateHandles().stream())
            .forEach(file -> file.getHandle().maybeGetPath().ifPresent(p -> used.add(p.getName())));
      } catch (IOException | RuntimeException e) {
        return; // the files that it refers to are unknown, so nothing may be deleted
      }
    }
    try (Stream<Path> files = Files.list(shared)) {
      for (Path file : files.toList()) {
        if (!used.contains(file.getFileName().toString())) {
          DirectoryTree.delete(file);
        }
      }
    }
  }

  static CheckpointFiles files(Checkpoint checkpoint) throws IOException {
    return CheckpointFiles.read(checkpoint.path());
  }

  /** Problems of the checkpoints that were examined, one line each. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  private List<Checkpoint> complete() {
    return all().stream()
        .filter(checkpoint -> Files.exists(checkpoint.path().resolve(CheckpointFiles.METADATA)))
        .toList();
  }

  private List<Checkpoint> all() {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    List<Checkpoint> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      entries.forEach(
          path -> {
            Matcher name = NAME.matcher(path.getFileName().toString());
            if (name.matches()) {
              found.add(new Checkpoint(Long.parseLong(name.group(1)), path));
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    found.sort(Comparator.comparingLong(Checkpoint::id).reversed());
    return found;
  }
}
