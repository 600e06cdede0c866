package io.millrace.store.duckdb.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.DuckDbStore;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWatchTest {
  private static final long RESERVE = 100 << 20;

  @TempDir Path directory;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong free = new AtomicLong(200 << 20);
  private final DiskSpace space = new DiskSpace(Path.of("/data/store"), RESERVE, free::get);
  private final Cancellation work = new Cancellation();
  private final CountDownLatch isCancelled = new CountDownLatch(1);

  @AfterEach
  void stop() {
    clock.shutdownNow();
  }

  private FileWatch watch(Duration limit) {
    work.onCancel(isCancelled::countDown);
    return new FileWatch(clock, work, space, limit);
  }

  private void awaitEnd() throws InterruptedException {
    assertThat(isCancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void cancelsTheWorkWhenTheDiskFills() throws Exception {
    try (FileWatch watch = watch(Duration.ofMinutes(5))) {
      watch.check(50 << 20);
      assertThatThrownBy(() -> watch.check(101 << 20)).isInstanceOf(StoreException.class);
      assertThat(work.isCancelled()).isFalse();
      free.set(RESERVE - 1);
      awaitEnd();
      assertThatThrownBy(watch::rethrow)
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the disk of /data/store is too full: 99 MiB are free, and 100 MiB are needed");
    }
  }

  @Test
  void cancelsTheWorkAtItsTimeLimit() throws Exception {
    try (FileWatch watch = watch(Duration.ofNanos(1))) {
      awaitEnd();
      assertThatThrownBy(watch::rethrow)
          .isInstanceOfSatisfying(
              QueryException.class,
              e -> assertThat(e.reason()).isEqualTo(QueryException.Reason.TIMEOUT));
    }
  }

  /** The first time, the work may have been between two statements. */
  @Test
  void repeatsACancellationUntilTheWorkHasEnded() throws Exception {
    try (FileWatch unused = watch(Duration.ofMinutes(5))) {
      CountDownLatch repeated = new CountDownLatch(3);
      work.onCancel(repeated::countDown);
      work.cancel();
      assertThat(repeated.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void nothingStartsOnAFullDisk() {
    free.set(0);
    assertThatThrownBy(() -> watch(Duration.ofMinutes(5))).isInstanceOf(StoreException.class);
  }

  @Test
  void anEndlessFileIsCancelled() {
    StoreConfig brief =
        StoreConfig.defaults()
            .withThreads(1)
            .withQueryRowLimit(1)
            .withExportTimeLimit(Duration.ofMillis(1));
    try (DuckDbStore store = new DuckDbStore(directory, brief)) {
      InputStream endless =
          new InputStream() {
            @Override
            public int read() {
              return 'P';
            }
          };
      assertThatThrownBy(() -> store.importRows("flows", endless))
          .isInstanceOfSatisfying(
              QueryException.class,
              e -> assertThat(e.reason()).isEqualTo(QueryException.Reason.TIMEOUT));
      assertThat(directory.resolve("exchange")).isEmptyDirectory();
    }
  }
}
