package io.millrace.lab.voice;

import io.millrace.analytics.voice.VoiceRules;
import io.millrace.traffic.voice.VoiceTrace;
import java.util.ArrayList;
import java.util.List;

/** Commands that controllers must receive, computed from all bytes of each step at the end. */
final class VoiceTruth {
  private final VoiceRules rules;
  private final int steps;
  private final long[][] bytes;
  private final double[][] shares;
  private final long[][] shareTimes;

  VoiceTruth(VoiceRules rules, int seconds) {
    this.rules = rules;
    steps = (int) (seconds * VoiceLoad.MICROS / rules.stepMicros());
    bytes = new long[VoiceLoad.CONTROLLERS][steps + 1];
    shares = new double[VoiceLoad.CONTROLLERS][steps + 1];
    shareTimes = new long[VoiceLoad.CONTROLLERS][steps + 1];
  }

  void add(VoiceTrace trace) {
    int step = (int) Math.min(steps, (trace.time() - VoiceLoad.START) / rules.stepMicros());
    int controller = trace.controller();
    if (trace.isMessage()) {
      bytes[controller][step] += trace.bytes();
    } else if (trace.time() >= shareTimes[controller][step]) {
      shareTimes[controller][step] = trace.time();
      shares[controller][step] = trace.inUse();
    }
  }

  String[] commands() {
    List<String> commands = new ArrayList<>();
    int window = (int) (rules.windowMicros() / rules.stepMicros());
    for (int controller = 0; controller < VoiceLoad.CONTROLLERS; controller++) {
      long[] sums = new long[steps + 1]; // before each step
      for (int step = 0; step < steps; step++) {
        sums[step + 1] = sums[step] + bytes[controller][step];
      }
      boolean isLimited = false;
      int calm = 0;
      for (int moment = 1; moment <= steps; moment++) {
        int from = Math.max(0, moment - window);
        long sum = sums[moment] - sums[from];
        int told = moment - 1;
        while (told >= from && shareTimes[controller][told] == 0) {
          told--;
        }
        double share = told >= from ? shares[controller][told] : Double.NaN;
        boolean isCalm = share < rules.voiceBelow() || sum < rules.volumeBelow();
        calm = isCalm ? calm + 1 : 0;
        boolean before = isLimited;
        if (!isLimited && share > rules.voiceAbove() && sum > rules.volumeAbove()) {
          isLimited = true;
        } else if ((calm - 1) * rules.stepMicros() >= rules.holdMicros()) {
          isLimited = false;
        }
        if (isLimited != before) {
          commands.add(
              controller
                  + (isLimited ? " limit " : " release ")
                  + (VoiceLoad.START + moment * rules.stepMicros()));
        }
      }
    }
    return commands.stream().sorted().toArray(String[]::new);
  }
}
