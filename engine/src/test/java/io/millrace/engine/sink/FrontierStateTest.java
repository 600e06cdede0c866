package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.UnrecoverableException;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FrontierStateTest {
  private static final Frontier FRONTIER = new Frontier(Map.of(0, 7L, 1023, Long.MAX_VALUE));

  @Test
  void whatIsEncodedIsDecoded() {
    assertThat(FrontierState.decode(FrontierState.encode(FRONTIER))).isEqualTo(FRONTIER);
    assertThat(FrontierState.decode(FrontierState.encode(Frontier.EMPTY)))
        .isEqualTo(Frontier.EMPTY);
  }

  @Test
  void theFormatIsFixed() {
    assertThat(FrontierState.encode(new Frontier(Map.of(1, 258L))))
        .containsExactly('F', 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2);
  }

  @Test
  void truncatedBytesAreNoFrontier() {
    byte[] state = FrontierState.encode(FRONTIER);
    for (int length = 0; length < state.length; length++) {
      byte[] part = Arrays.copyOf(state, length);
      assertThatThrownBy(() -> FrontierState.decode(part))
          .isInstanceOf(UnrecoverableException.class);
    }
  }

  @Test
  void aNewerVersionIsReported() {
    byte[] state = FrontierState.encode(FRONTIER);
    state[1] = 2;
    assertThatThrownBy(() -> FrontierState.decode(state))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("version 2");
  }

  @Test
  void placeOfABatch() {
    RawBatch batch = RawBatch.wrap(new byte[0], 3, 44);
    assertThat(LogPlace.RAW.partition(batch)).isEqualTo(3);
    assertThat(LogPlace.RAW.offset(batch)).isEqualTo(44);
  }
}
