package io.millrace.engine.host;

import java.util.ArrayList;
import java.util.List;

/**
 * Use of each core of one machine, sample by sample. Text form, the value of one metric:
 *
 * <pre>
 *   version  machine  host  last sample  interval  cores
 *   1        5b0c…    rack3 17955…       500       00c8640a;0b0a…
 *                           ms, epoch    ms        two hexadecimal digits a sample: half percents
 * </pre>
 *
 * @param machine id of the running kernel, the same for all its processes, so that each core is
 *     counted once
 * @param host host name
 * @param lastMillis time of the last sample, milliseconds since the epoch
 * @param intervalMillis between two samples
 * @param cores samples of each core, oldest first: busy share, 0 to 1
 */
public record HostSamples(
    String machine, String host, long lastMillis, int intervalMillis, List<List<Double>> cores) {
  static final int STEPS = 200;

  private static final String VERSION = "1";
  private static final int FIELDS = 6;
  private static final int DIGITS = 2;
  private static final int RADIX = 16;

  /** Formats this as one line of text. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append(' ').append(word(machine)).append(' ').append(word(host));
    text.append(' ').append(lastMillis).append(' ').append(intervalMillis).append(' ');
    String separator = "";
    for (List<Double> core : cores) {
      text.append(separator);
      separator = ";";
      for (double share : core) {
        int steps = (int) Math.round(Math.max(0, Math.min(1, share)) * STEPS);
        text.append(Character.forDigit(steps >> 4, RADIX));
        text.append(Character.forDigit(steps & 15, RADIX));
      }
    }
    return text.toString();
  }

  private static String word(String text) {
    String word = text.strip().replaceAll("\\s+", "_");
    return word.isEmpty() ? "?" : word;
  }

  /**
   * Parses the result of {@link #toText}.
   *
   * @throws IllegalArgumentException if it is something else, or of a later version
   */
  public static HostSamples parse(String text) {
    String[] fields = text.split(" ", FIELDS);
    if (fields.length != FIELDS || !fields[0].equals(VERSION)) {
      throw new IllegalArgumentException("invalid host samples: " + text);
    }
    List<List<Double>> cores = new ArrayList<>();
    for (String digits : fields[5].isEmpty() ? new String[0] : fields[5].split(";", -1)) {
      List<Double> core = new ArrayList<>();
      for (int i = 0; i + DIGITS <= digits.length(); i += DIGITS) {
        core.add(Integer.parseInt(digits.substring(i, i + DIGITS), RADIX) / (double) STEPS);
      }
      cores.add(List.copyOf(core));
    }
    return new HostSamples(
        fields[1],
        fields[2],
        Long.parseLong(fields[3]),
        Integer.parseInt(fields[4]),
        List.copyOf(cores));
  }
}
