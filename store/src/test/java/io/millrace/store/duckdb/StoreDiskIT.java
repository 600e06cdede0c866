package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.ChildProcess;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real file systems that are full, read-only, or have a broken file; needs the right to mount. */
class StoreDiskIT {
  private static final FlowSchema SCHEMA = new FlowSchema(List.of());

  @TempDir Path directory;

  private final SplittableRandom random = new SplittableRandom(3);
  private Path mounted;
  private DurableStore store;
  private long offset;

  private void mount(int mebibytes) throws Exception {
    mounted = Files.createDirectory(directory.resolve("disk"));
    Assumptions.assumeTrue(
        ChildProcess.succeeds(
            "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", mounted.toString()),
        "no right to mount a file system");
  }

  @AfterEach
  void unmount() throws Exception {
    if (store != null) {
      store.close();
    }
    if (mounted != null) {
      ChildProcess.succeeds("umount", mounted.toString());
    }
  }

  private void open() {
    StoreConfig defaults = StoreConfig.defaults();
    store =
        new DurableStore(
            () ->
                new DuckDbStore(
                    mounted.resolve("store"),
                    defaults.withThreads(1).withCheckpointBytes(1 << 20),
                    RollupConfig.NONE));
  }

  private FlowTable table() {
    return store.table(Store.FLOWS, SCHEMA);
  }

  private FlowBlock block(int rows) {
    FlowBlock block = Flows.bare(rows, 0, offset++);
    for (int i = 0; i < rows; i++) {
      block.longs(FlowColumn.BYTES)[i] = random.nextLong() >>> 8;
    }
    return block;
  }

  /** Writes, flushes, and takes a checkpoint. */
  private void write(int rows) {
    FlowTable table = table();
    try (FlowWriter writer = table.writer()) {
      writer.append(block(rows));
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, offset)));
  }

  /** Fills the disk except for some bytes. */
  private Path fill(long leaveBytes) throws IOException {
    Path filler = mounted.resolve("filler");
    byte[] some = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (mounted.toFile().getUsableSpace() > leaveBytes + some.length) {
        out.write(some);
      }
      while (leaveBytes == 0) {
        out.write(1);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    return filler;
  }

  @Test
  void writersWaitForSpaceAndContinue() throws Exception {
    mount(96);
    open();
    write(1_000);
    Path filler = fill(1 << 20);
    FlowTable table = table();
    try (FlowWriter writer = table.writer()) {
      writer.append(block(5_000));
      CompletableFuture<Void> committed =
          CompletableFuture.runAsync(() -> table.committed(new Frontier(Map.of(0, offset))));
      await("a problem", () -> store.problem().isPresent());
      assertThat(store.problem().orElseThrow())
          .startsWith("the disk of " + mounted.resolve("store") + " is full: ")
          .contains("store.retention");
      assertThat(committed).isNotDone();
      assertThat(table.rows()).as("all rows are visible").isEqualTo(6_000);
      Files.delete(filler);
      committed.get(1, TimeUnit.MINUTES);
    }
    assertThat(table.rows()).isEqualTo(6_000);
    assertThat(store.problem()).isEmpty();
  }

  @Test
  void aCheckpointOnAFullDiskFailsAndTheStoreIsReopened() throws Exception {
    mount(96);
    open();
    write(20_000);
    Path filler = fill(0);
    DuckDbStore inner = store.opened();
    assertThatThrownBy(inner::checkpoint).isInstanceOf(StoreException.class);
    await("a problem", () -> store.problem().isPresent());
    assertThat(store.problem().orElseThrow()).contains("full");
    Files.delete(filler);
    await("no problem", () -> store.problem().isEmpty());
    assertThat(table().rows()).as("what was acknowledged is there").isEqualTo(20_000);
    write(1_000);
    assertThat(table().rows()).isEqualTo(21_000);
  }

  @Test
  void aReadOnlyDirectoryIsRejectedAtTheStart() throws Exception {
    mount(96);
    assertThat(ChildProcess.succeeds("mount", "-o", "remount,ro", mounted.toString())).isTrue();
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("cannot open the store " + mounted.resolve("store"))
        .hasMessageContaining("Read-only file system");
  }

  @Test
  void aTruncatedFileIsRejectedWithAdvice() throws IOException {
    mounted = null;
    broken(
        file -> {
          try (var channel = java.nio.channels.FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(6_000);
          }
        });
  }

  @Test
  void aGarbledFileIsRejectedWithAdvice() throws IOException {
    broken(
        file -> {
          byte[] bytes = Files.readAllBytes(file);
          random.nextBytes(bytes);
          Files.write(file, bytes);
        });
  }

  private interface Damage {
    void to(Path file) throws IOException;
  }

  private void broken(Damage damage) throws IOException {
    Path folder = directory.resolve("store");
    try (DuckDbStore whole = new DuckDbStore(folder, StoreConfig.defaults())) {
      try (FlowWriter writer = whole.table(Store.FLOWS, SCHEMA).writer()) {
        writer.append(block(50_000));
        writer.flush();
      }
    }
    damage.to(folder.resolve(DuckDbStore.FILE_NAME));
    assertThatThrownBy(() -> new DuckDbStore(folder, StoreConfig.defaults()).close())
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("cannot open the store " + folder)
        .hasMessageContaining("the file is damaged; restore it from a backup")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
  }

  /** Waits for a condition; a failure of the store counts as false. */
  private static void await(String what, Callable<Boolean> condition) {
    Await.until(
        what,
        () -> {
          try {
            return condition.call();
          } catch (StoreException e) {
            return false;
          }
        });
  }
}
