package io.millrace.server.capture;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.HashSet;
import java.util.List;

/**
 * Settings of the capture of packets.
 *
 * @param interfaces whose packets are captured; empty for none
 * @param merge whether packets of all of them go into the log in the order of their times, as one
 * @param snapLengthBytes of a packet that are kept, 64 to 64 KiB
 * @param promiscuous whether packets to others are captured too
 * @param filter which packets, in the language of tcpdump; empty for all
 * @param ringBytes that the kernel may fill while we are held up, for each interface, 1 MiB to 1
 *     GiB
 * @param lingerMillis how long the kernel may wait for a block of the ring to fill, 1 ms to 1 s
 */
@RecordBuilder
public record CaptureConfig(
    List<String> interfaces,
    boolean merge,
    int snapLengthBytes,
    boolean promiscuous,
    String filter,
    int ringBytes,
    int lingerMillis)
    implements CaptureConfigBuilder.With {
  /** Nothing is captured. */
  public static final CaptureConfig OFF =
      new CaptureConfig(List.of(), true, 64 << 10, true, "", 64 << 20, 50);

  /** Checks every setting. */
  public CaptureConfig {
    interfaces = List.copyOf(interfaces);
    if (new HashSet<>(interfaces).size() < interfaces.size()) {
      throw new IllegalArgumentException("capture.interfaces: " + interfaces + " names one twice");
    }
    require("snap-length", snapLengthBytes, 64, 64 << 10, "bytes");
    require("ring", ringBytes, 1 << 20, 1 << 30, "bytes");
    require("linger", lingerMillis, 1, 1_000, "ms");
  }

  /** Interfaces that are captured together, group by group. */
  public List<List<String>> groups() {
    return merge && !interfaces.isEmpty()
        ? List.of(interfaces)
        : interfaces.stream().map(List::of).toList();
  }

  private static void require(String key, int value, int least, int most, String unit) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "capture.%s: %d is not in %d to %d %s".formatted(key, value, least, most, unit));
    }
  }
}
