package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.sink.UnrecoverableException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogHorizonTest {
  private static final LogHorizon HORIZON =
      new LogHorizon(new Frontier(Map.of(0, 10L, 1, 0L)), new Frontier(Map.of(0, 20L, 1, 5L)), 0);

  @Test
  void whatTheLogHoldsIsRewound() {
    Frontier wanted = new Frontier(Map.of(0, 20L, 1, 3L));
    assertThat(HORIZON.rewindable(wanted)).isEqualTo(wanted);
    assertThat(HORIZON.holes(wanted)).isEmpty();
  }

  @Test
  void whatTheLogHasDeletedIsKept() {
    Frontier wanted = new Frontier(Map.of(0, 4L));
    assertThat(HORIZON.rewindable(wanted)).isEqualTo(new Frontier(Map.of(0, 10L, 1, 0L)));
    assertThat(HORIZON.holes(wanted)).singleElement().asString().contains("these 6 values");
  }

  @Test
  void rowsOfEarlierEpochsAreKept() {
    LogHorizon second =
        new LogHorizon(Frontier.EMPTY.inEpoch(1), new Frontier(Map.of(0, 7L)).inEpoch(1), 1);
    Frontier wanted = new Frontier(Map.of(0, 1_000L, LogPartition.of(0, 1), 7L));
    assertThat(second.rewindable(wanted)).isEqualTo(wanted);
  }

  @Test
  void aLogThatEndsEarlierIsAnotherLog() {
    assertThatThrownBy(() -> HORIZON.rewindable(new Frontier(Map.of(1, 6L))))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("partition 1")
        .hasMessageContaining("ends at offset 5");
    assertThatThrownBy(() -> HORIZON.rewindable(new Frontier(Map.of(2, 1L))))
        .as("a partition that the log does not have")
        .isInstanceOf(UnrecoverableException.class);
  }
}
