package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.wire.block.Frontier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedLog.class)
class LogReaderIT {
  private final String topic = "read-" + System.nanoTime();
  private LogWriter writer;
  private LogOffsets offsets;

  @BeforeEach
  void open() {
    SharedLog.make(topic, 2);
    writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG);
    offsets = new LogOffsets(SharedLog.bootstrapServers(), topic);
  }

  @AfterEach
  void close() {
    writer.close();
    offsets.close();
  }

  private void write(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(writer.offer(null, new byte[] {(byte) i}, 1)).isTrue();
    }
    writer.flush();
  }

  private long read(Frontier from, Frontier until, Duration timeout, LogReader.Values values) {
    return LogReader.read(SharedLog.bootstrapServers(), topic, from, until, timeout, values);
  }

  @Test
  void readsFromOneFrontierToAnother() {
    write(20);
    List<String> places = new ArrayList<>();
    long count =
        read(
            new Frontier(Map.of(0, 3L, 1, 8L)),
            new Frontier(Map.of(0, 6L, 1, 10L)),
            Duration.ofMinutes(1),
            (partition, offset, time, key, value) -> {
              assertThat(key).isNull();
              return places.add(partition + ":" + offset);
            });
    assertThat(count).isEqualTo(5);
    assertThat(places).containsExactlyInAnyOrder("0:3", "0:4", "0:5", "1:8", "1:9");
  }

  @Test
  void stopsWhenItHasEnough() {
    write(20);
    assertThat(
            read(
                Frontier.EMPTY,
                offsets.end(),
                Duration.ofMinutes(1),
                (partition, offset, time, key, value) -> false))
        .isEqualTo(1);
  }

  @Test
  void valuesAfterTheEndDoNotKeepItWaiting() throws Exception {
    AtomicBoolean busy = new AtomicBoolean(true);
    Thread others =
        new Thread(
            () -> {
              while (busy.get()) {
                writer.offer(0, new byte[10], 1, null);
                LockSupport.parkNanos(5_000_000);
              }
            });
    others.start();
    try {
      // One partition is written past the end, the other waits for values that never arrive.
      Frontier until = new Frontier(Map.of(0, 1L, 1, 1_000_000L));
      CompletableFuture<Long> read =
          CompletableFuture.supplyAsync(
              () -> read(Frontier.EMPTY, until, Duration.ofSeconds(5), (p, o, t, k, v) -> true));
      // of a topic that does not exist
      assertThat(read.get()).isEqualTo(1);
    } finally {
      busy.set(false);
      others.join();
    }
  }

  @Test
  void offsetsOfBeginEndAndTime() throws Exception {
    assertThat(offsets.end()).isEqualTo(new Frontier(Map.of(0, 0L, 1, 0L)));
    write(10);
    assertThat(offsets.end()).isEqualTo(new Frontier(Map.of(0, 5L, 1, 5L)));
    assertThat(offsets.at(0)).isEqualTo(offsets.begin());
    assertThat(offsets.at(Long.MAX_VALUE / 1000)).isEqualTo(offsets.end());
    SharedLog.deleteBefore(topic, new Frontier(Map.of(0, 2L, 1, 4L)));
    assertThat(offsets.begin()).isEqualTo(new Frontier(Map.of(0, 2L, 1, 4L)));
    assertThat(read(Frontier.EMPTY, offsets.end(), Duration.ofMinutes(1), (p, o, t, k, v) -> true))
        .as("from the oldest that is left")
        .isEqualTo(4);
  }
}
