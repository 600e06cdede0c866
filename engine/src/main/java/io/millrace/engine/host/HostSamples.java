package io.millrace.engine.host;

import java.util.ArrayList;
import java.util.List;

/**
 * How busy each core of one machine was, sample by sample. As text, one metric's value:
 *
 * <pre>
 *   version  machine  host  last sample  interval  cores
 *   1        5b0c…    rack3 17955…       500       00c8640a;0b0a…
 *                           ms, epoch    ms        two hexadecimal digits a sample: half percents
 * </pre>
 *
 * @param machine the same for all processes under one running kernel, whatever their addresses, and
 *     no other: a core is counted once
 * @param host the machine's name for people
 * @param lastMillis when the last sample was taken, milliseconds since the epoch
 * @param intervalMillis between two samples
 * @param cores of each core the samples, oldest first: the share of time in which it worked, 0 to 1
 */
public record HostSamples(
    String machine, String host, long lastMillis, int intervalMillis, List<List<Double>> cores) {
  static final int STEPS = 200;

  private static final String VERSION = "1";
  private static final int FIELDS = 6;
  private static final int DIGITS = 2;
  private static final int RADIX = 16;

  /** All of it as one line of text. */
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
   * Reads what {@link #toText} wrote.
   *
   * @throws IllegalArgumentException if it is something else, or of a later version
   */
  public static HostSamples parse(String text) {
    String[] fields = text.split(" ", FIELDS);
    if (fields.length != FIELDS || !fields[0].equals(VERSION)) {
      throw new IllegalArgumentException("no samples of a host: " + text);
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
