package io.millrace.analytics.voice;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.analytics.voice.PlainVoice.Message;
import io.millrace.analytics.voice.PlainVoice.Share;
import io.millrace.wire.block.TableBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Edges of windows and thresholds, one at a time. */
class VoiceGuardTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_700_000_000 * SECOND;
  private static final VoiceRules RULES =
      new VoiceRules(SECOND, 10 * SECOND, 3 * SECOND, 5 * SECOND, 0.8, 0.6, 100, 50);

  private static Message message(double second, long bytes) {
    return new Message(START + (long) (second * SECOND), 7, bytes);
  }

  private static Share share(double second, double inUse, int place) {
    return new Share(START + (long) (second * SECOND), 7, inUse, 0, place, 0);
  }

  private static String command(int second, String command, long bytes, String inUse) {
    return "%d 7 %s %d %s".formatted(START + second * SECOND, command, bytes, inUse);
  }

  private static TwoInputTester<TableBlock, TableBlock, TableBlock> tester(
      List<Message> messages, List<Share> shares) {
    return TwoInputTester.of(() -> new VoiceGuard(RULES))
        .keyedBy(VoiceRecords.BY_CONTROLLER, VoiceRecords.BY_CONTROLLER)
        .expectIn(VoiceGuard.STATES, states -> List.of())
        .feedFirst(PlainVoice.volumes(messages, RULES))
        .feedSecond(PlainVoice.channels(shares))
        .inAnyOrder();
  }

  @Test
  void limitsBeyondBothThresholdsAndNotAtThem() {
    tester(List.of(message(0.5, 100)), List.of(share(0.5, 0.9, 1))).expect();
    tester(List.of(message(0.5, 101)), List.of(share(0.5, 0.8, 1))).expect();
    tester(List.of(message(0.5, 101)), List.of(share(0.5, 0.81, 1)))
        .expect(
            command(1, "limit", 101, "0.81"),
            command(14, "release", 0, "null")); // three seconds after the bytes left the window
  }

  /** A row at the end of a step belongs to the next one. */
  @Test
  void aMomentSeesTheWindowBeforeIt() {
    tester(List.of(message(1, 101)), List.of(share(0, 0.9, 1)))
        .expect(command(2, "limit", 101, "0.9"), command(15, "release", 0, "null"));
    tester(List.of(message(0.999999, 101)), List.of(share(0, 0.9, 1)))
        .expect(command(1, "limit", 101, "0.9"), command(14, "release", 0, "null"));
  }

  @Test
  void aShareIsValidForAWindowAndTheLastInTheLogWinsAtEqualTimes() {
    tester(List.of(message(9.5, 101)), List.of(share(0, 0.9, 1)))
        .expect(command(10, "limit", 101, "0.9"), command(23, "release", 0, "null"));
    tester(List.of(message(10, 101)), List.of(share(0, 0.9, 1))).expect();
    tester(List.of(message(1, 101)), List.of(share(0, 0.9, 1), share(0, 0.7, 2))).expect();
  }

  @Test
  void releasesWhenItHasBeenCalmWithoutABreak() {
    tester(
            List.of(message(0, 101), message(9, 101)),
            List.of(
                share(0, 0.9, 1),
                share(2, 0.5, 2), // calm from second 3 on
                share(4, 0.6, 3), // not below
                share(6, 0.59, 4)))
        .expect(command(1, "limit", 101, "0.9"), command(10, "release", 202, "0.59"));
  }

  @Test
  void emitsStatesAtCommandsAndMultiplesOfTheInterval() {
    tester(List.of(message(0.5, 101)), List.of(share(0.5, 0.9, 1)))
        .expectIn(
            VoiceGuard.STATES, state(1, "limit", 101, "0.9", 1), state(14, "free", 0, "null", -1))
        .expect(command(1, "limit", 101, "0.9"), command(14, "release", 0, "null"));
  }

  private static String state(int second, String state, long bytes, String inUse, int since) {
    return "7 %d %s %d %s %s"
        .formatted(
            START + second * SECOND,
            state,
            bytes,
            inUse,
            since < 0 ? "null" : Long.toString(START + since * SECOND));
  }

  @Test
  void rejectsRulesThatCannotHold() {
    assertThatThrownBy(() -> new VoiceRules(SECOND, 1_500_000, 0, SECOND, 0.8, 0.6, 100, 50))
        .hasMessage("window: 1500ms, expected a multiple of step, which is 1000ms, up to 1h");
    assertThatThrownBy(() -> new VoiceRules(SECOND, SECOND, 0, SECOND, 0.8, 0.9, 100, 50))
        .hasMessage("voice-below: 0.9, expected 0 to voice-above, which is 0.8");
  }
}
