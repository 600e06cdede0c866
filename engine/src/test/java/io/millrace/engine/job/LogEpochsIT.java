package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.log.LogWriter;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedLog.class)
class LogEpochsIT {
  @TempDir Path home;

  private String topic;

  @BeforeEach
  void makeTopic() {
    topic = SharedLog.newTopic(1);
    LogEpochs epochs = epochs();
    assertThat(epochs.of(topic, Optional.empty()).number()).isZero();
    assertThat(epochs.problems()).isEmpty();
  }

  private LogEpochs epochs() {
    return new LogEpochs(home, Optional.empty(), SharedLog.bootstrapServers());
  }

  private void write(int values) {
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      for (int i = 0; i < values; i++) {
        assertThat(writer.offer(null, new byte[10], 1)).isTrue();
      }
    }
  }

  @Test
  void aLogThatHoldsAllIsReadFromItsBeginning() {
    write(10);
    assertThat(epochs().of(topic, Optional.empty())).isEqualTo(LogEpoch.FIRST);
  }

  @Test
  void afterLossOfItsBeginningTheFirstRemainingValueDecides() throws Exception {
    long before = System.currentTimeMillis() * 1_000;
    write(10);
    SharedLog.deleteBefore(topic, new Frontier(Map.of(0, 4L)));
    assertThat(epochs().of(topic, Optional.empty()).firstMicros()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void aTableThatHasMoreThanTheLogBeginsAnotherEpoch() {
    write(10);
    Frontier stored = new Frontier(Map.of(0, 12L));
    LogEpochs epochs = epochs();
    LogEpoch epoch = epochs.of(topic, Optional.of(stored));
    assertThat(epoch.number()).isEqualTo(1);
    assertThat(epoch.from()).isEqualTo(new Frontier(Map.of(0, 10L)));
    assertThat(epoch.firstMicros()).isPositive();
    assertThat(epochs.problems())
        .singleElement()
        .asString()
        .contains(topic)
        .contains("values 10 to 11 of partition 0");

    LogEpochs next = epochs();
    Frontier more = stored.union(new Frontier(Map.of(0, 10L)).inEpoch(1));
    assertThat(next.of(topic, Optional.of(more)).number()).isEqualTo(1);
    assertThat(next.problems()).isEmpty();
  }

  @Test
  void theTablesEpochHoldsWhereNothingElseIsKnown() throws IOException {
    write(10);
    Files.delete(home.resolve("log-epochs"));
    assertThat(epochs().of(topic, Optional.of(new Frontier(Map.of(0, 5L)).inEpoch(3))).number())
        .isEqualTo(3);
  }

  @Test
  void aDamagedFileIsSetAsideAndReported() throws IOException {
    Files.write(home.resolve("log-epochs"), new byte[] {1, 2, 3});
    assertThat(epochs().problems()).singleElement().asString().contains("log-epochs is damaged");
    assertThat(home.resolve("log-epochs.damaged")).exists();
  }
}
