package io.millrace.traffic.voice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VoiceTraceTest {
  private static final int MINUTE = 60_000_000;

  @Test
  void hotControllersHaveAQuarterOfTheMessagesWhileTheyAreBusy() {
    VoiceTrace trace = new VoiceTrace(100, 0, 1_000, 1);
    int[] messages = new int[2];
    int[] ofHot = new int[2];
    double[] max = new double[2];
    while (trace.moment() < 10 * MINUTE) {
      long before = trace.moment();
      trace.next();
      assertThat(trace.time()).isBetween(before, before + 50_000);
      int busy = before < 5L * MINUTE ? 0 : 1;
      boolean isHot = trace.controller() < 10;
      if (trace.isMessage()) {
        messages[busy]++;
        ofHot[busy] += isHot ? 1 : 0;
        assertThat(trace.cell() / VoiceTrace.CELLS).isEqualTo(trace.controller());
        assertThat(trace.bytes()).isBetween(2_000L, 40_000L);
      } else if (isHot) {
        max[busy] = Math.max(max[busy], trace.inUse());
      } else {
        assertThat(trace.inUse()).isLessThan(0.6);
      }
    }
    assertThat(ofHot[0] / (double) messages[0]).isBetween(0.09, 0.11);
    assertThat(ofHot[1] / (double) messages[1]).isBetween(0.31, 0.34);
    assertThat(max[0]).isLessThan(0.6);
    assertThat(max[1]).isGreaterThan(0.9);
  }

  @Test
  void theSameSettingsMakeTheSameRecords() {
    VoiceTrace one = new VoiceTrace(7, 5, 10, 3);
    VoiceTrace other = new VoiceTrace(7, 5, 10, 3);
    for (int i = 0; i < 1_000; i++) {
      one.next();
      other.next();
      assertThat(one.time()).isEqualTo(other.time());
      assertThat(one.controller()).isEqualTo(other.controller());
    }
  }
}
