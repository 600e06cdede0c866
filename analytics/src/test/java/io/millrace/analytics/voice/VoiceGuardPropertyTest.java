package io.millrace.analytics.voice;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.analytics.voice.PlainVoice.Message;
import io.millrace.analytics.voice.PlainVoice.Share;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random traces with disorder, duplicates, gaps and late rows, in every way of the tester
 * (restored, at other parallelisms, either input first), against the plain reference.
 */
class VoiceGuardPropertyTest {
  private static final long SECOND = 1_000_000;
  private static final VoiceRules RULES =
      new VoiceRules(SECOND, 6 * SECOND, 2 * SECOND, 4 * SECOND, 0.8, 0.6, 100, 60);
  private static final long START = 1_000 * SECOND;
  private static final long END = START + 200 * SECOND;

  /** Half of the times are on the edge of a step. */
  private static long time(Random random, long from, int seconds) {
    long time = from + random.nextInt(seconds) * SECOND;
    return random.nextBoolean() ? time + random.nextInt(2) - 1 : time + random.nextInt(1_000_000);
  }

  private static Message message(Random random, long from) {
    return new Message(time(random, from, 6), random.nextInt(3), random.nextInt(40));
  }

  private static Share share(Random random, long from, int offset) {
    return new Share(
        time(random, from, 6),
        random.nextInt(3),
        random.nextInt(11) / 10.0,
        random.nextInt(2),
        offset,
        random.nextInt(2));
  }

  @Property(tries = 6)
  void commandsAreThoseOfTheReference(@ForAll long seed) {
    Random random = new Random(seed);
    TwoInputTester<TableBlock, TableBlock, TableBlock> tester =
        TwoInputTester.of(() -> new VoiceGuard(RULES))
            .keyedBy(VoiceRecords.BY_CONTROLLER, VoiceRecords.BY_CONTROLLER)
            .expectIn(VoiceGuard.STATES, states -> List.of())
            .inAnyOrder();
    List<Message> messages = new ArrayList<>();
    List<Share> shares = new ArrayList<>();
    int[] late = new int[2];
    long passed = START;
    tester.watermark(passed);
    for (int round = 0; round < 12; round++) {
      List<Message> someMessages = new ArrayList<>();
      List<Share> someShares = new ArrayList<>();
      for (int i = 0; i < 14; i++) {
        Message message = message(random, passed - SECOND);
        for (int copies = random.nextInt(4) == 0 ? 2 : 1; copies > 0; copies--) {
          someMessages.add(message);
        }
        if (i % 4 == 0) {
          Share share = share(random, passed - SECOND, round * 100 + i);
          someShares.add(share);
          if (random.nextInt(4) == 0) {
            someShares.add(share);
          }
        }
      }
      for (Message each : someMessages) {
        if (RULES.lastOfStep(each.time()) > passed) {
          messages.add(each);
        } else {
          late[0]++;
        }
      }
      for (Share each : someShares) {
        if (each.time() > passed) {
          shares.add(each);
        } else {
          late[1]++;
        }
      }
      tester.feedFirst(PlainVoice.volumes(someMessages, RULES));
      tester.feedSecond(PlainVoice.channels(someShares));
      passed += (random.nextInt(5) == 0 ? 15 : 1 + random.nextInt(4)) * SECOND;
      passed += random.nextInt(2) * 400_000L; // event time may be within a step
      tester.watermark(passed);
    }
    assertThat(passed).isLessThan(END - 10 * SECOND);
    tester
        .expectCounted(VoiceGuard.LATE_MESSAGES, late[0])
        .expectCounted(VoiceGuard.LATE_CHANNELS, late[1])
        .expect(PlainVoice.commands(messages, shares, RULES, START - SECOND, END));
  }

  /** The traces are meaningful: controllers are limited and released more than once. */
  @Property(tries = 1)
  void referenceGivesCommandsOfBothKinds() {
    Random random = new Random(1);
    List<Message> messages = new ArrayList<>();
    List<Share> shares = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      messages.add(message(random, START + i * SECOND));
      messages.add(message(random, START + i * SECOND));
      messages.add(message(random, START + i * SECOND));
      shares.add(share(random, START + i * SECOND, i));
    }
    String[] commands = PlainVoice.commands(messages, shares, RULES, START, END);
    assertThat(commands).filteredOn(each -> each.contains(" limit ")).hasSizeGreaterThan(5);
    assertThat(commands).filteredOn(each -> each.contains(" release ")).hasSizeGreaterThan(5);
  }
}
