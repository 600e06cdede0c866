package io.millrace.analytics.voice;

import java.io.Serializable;

/**
 * Rules for limiting data of a controller, and for releasing it. Evaluated at multiples of a step,
 * over the preceding window.
 *
 * @param stepMicros from one moment to the next, 10 ms to 1 min; a divisor of the others
 * @param windowMicros over which bytes are summed, and how long a share of voice channels is valid;
 *     one step to 1 h, at most 100,000 steps
 * @param holdMicros minimum calm time before the limit ends, 0 to 1 h
 * @param reportMicros interval of state reports while the state changes, one step to 1 h
 * @param voiceAbove share of voice channels in use above which data is limited, 0 to 1
 * @param voiceBelow share below which it is calm, at most {@code voiceAbove}
 * @param volumeAbove bytes of a window above which data is limited, at least 0
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
  private static final long MAX_STEPS = 100_000;

  public VoiceRules {
    require(
        stepMicros >= SECOND / 100 && stepMicros <= 60 * SECOND,
        "step: " + shown(stepMicros) + ", expected 10ms to 1m");
    requireSteps("window", windowMicros, 1, stepMicros);
    requireSteps("hold", holdMicros, 0, stepMicros);
    requireSteps("report", reportMicros, 1, stepMicros);
    require(
        windowMicros / stepMicros <= MAX_STEPS,
        "window: " + shown(windowMicros) + ", expected at most " + MAX_STEPS + " steps");
    require(voiceAbove >= 0 && voiceAbove <= 1, "voice-above: " + voiceAbove + ", expected 0 to 1");
    require(
        voiceBelow >= 0 && voiceBelow <= voiceAbove,
        "voice-below: " + voiceBelow + ", expected 0 to voice-above, which is " + voiceAbove);
    require(volumeAbove >= 0, "volume-above: " + volumeAbove + ", expected 0 or more");
    require(
        volumeBelow >= 0 && volumeBelow <= volumeAbove,
        "volume-below: " + volumeBelow + ", expected 0 to volume-above, which is " + volumeAbove);
  }

  private static void requireSteps(String name, long micros, long min, long step) {
    require(
        micros >= min && micros <= 3_600 * SECOND && micros % step == 0,
        name
            + ": "
            + shown(micros)
            + ", expected a multiple of step, which is "
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

  /** Last microsecond of the step of a time; its moment is one microsecond later. */
  public long lastOfStep(long micros) {
    return micros - Math.floorMod(micros, stepMicros) + stepMicros - 1;
  }
}
