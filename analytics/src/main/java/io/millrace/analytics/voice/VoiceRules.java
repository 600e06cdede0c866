package io.millrace.analytics.voice;

import java.io.Serializable;

/**
 * When a controller is told to limit data, and when to stop. Judged at the moments that are
 * multiples of a step, from what the window in front of the moment holds.
 *
 * @param stepMicros from one moment to the next, 10 ms to 1 min; a divisor of the others
 * @param windowMicros over which bytes are added up, and how long a share of voice channels holds;
 *     one step to 1 h, at most 100,000 steps
 * @param holdMicros how long it must have been calm before the limit ends, 0 to 1 h
 * @param reportMicros how often the state of a controller is told while it changes, one step to 1 h
 * @param voiceAbove share of voice channels in use beyond which data is limited, 0 to 1
 * @param voiceBelow share below which it is calm, at most {@code voiceAbove}
 * @param volumeAbove bytes of a window beyond which data is limited, at least 0
 * @param volumeBelow bytes below which it is calm, at most {@code volumeAbove}
 */
public record VoiceRules(
    long stepMicros,
    long windowMicros,
    long holdMicros,
    long reportMicros,
    double voiceAbove,
    double voiceBelow,
    long volumeAbove,
    long volumeBelow)
    implements Serializable {
  private static final long SECOND = 1_000_000;
  private static final long MOST_STEPS = 100_000;

  /** Checks each value. */
  public VoiceRules {
    require(
        stepMicros >= SECOND / 100 && stepMicros <= 60 * SECOND,
        "step: " + shown(stepMicros) + " is not in 10ms to 1m");
    requireSteps("window", windowMicros, 1, stepMicros);
    requireSteps("hold", holdMicros, 0, stepMicros);
    requireSteps("report", reportMicros, 1, stepMicros);
    require(
        windowMicros / stepMicros <= MOST_STEPS,
        "window: " + shown(windowMicros) + " has more than " + MOST_STEPS + " steps");
    require(voiceAbove >= 0 && voiceAbove <= 1, "voice-above: " + voiceAbove + " is not in 0 to 1");
    require(
        voiceBelow >= 0 && voiceBelow <= voiceAbove,
        "voice-below: " + voiceBelow + " is not in 0 to voice-above, which is " + voiceAbove);
    require(volumeAbove >= 0, "volume-above: " + volumeAbove + " is less than 0");
    require(
        volumeBelow >= 0 && volumeBelow <= volumeAbove,
        "volume-below: " + volumeBelow + " is not in 0 to volume-above, which is " + volumeAbove);
  }

  private static void requireSteps(String name, long micros, long least, long step) {
    require(
        micros >= least && micros <= 3_600 * SECOND && micros % step == 0,
        name
            + ": "
            + shown(micros)
            + " is not a multiple of step, which is "
            + shown(step)
            + ", up to 1h");
  }

  private static String shown(long micros) {
    return micros / 1_000 + "ms";
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** The last microsecond of the step that has the time in it; the moment is the next one. */
  public long lastOfStep(long micros) {
    return micros - Math.floorMod(micros, stepMicros) + stepMicros - 1;
  }
}
