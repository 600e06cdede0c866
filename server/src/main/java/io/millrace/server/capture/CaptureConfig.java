package io.millrace.server.capture;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.HashSet;
import java.util.List;

/**
 * Settings of packet capture.
 *
 * @param interfaces interfaces to capture; empty for none
 * @param merge whether to merge the packets of all interfaces by time
 * @param snapLengthBytes bytes kept of each packet, 64 to 64 KiB
 * @param promiscuous whether to also capture packets addressed to other hosts
 * @param filter filter in tcpdump syntax; empty for all packets
 * @param ringBytes kernel ring buffer per interface, 1 MiB to 1 GiB
 * @param lingerMillis maximum time that a packet waits in the kernel for its block to fill, 1 ms to
 *     1 s
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
  /** Disables capture. */
  public static final CaptureConfig OFF =
      new CaptureConfig(List.of(), true, 64 << 10, true, "", 64 << 20, 50);

  /** Checks every setting. */
  public CaptureConfig {
    interfaces = List.copyOf(interfaces);
    if (new HashSet<>(interfaces).size() < interfaces.size()) {
      throw new IllegalArgumentException("capture.interfaces: " + interfaces + ": duplicate name");
    }
    require("snap-length", snapLengthBytes, 64, 64 << 10, "bytes");
    require("ring", ringBytes, 1 << 20, 1 << 30, "bytes");
    require("linger", lingerMillis, 1, 1_000, "ms");
  }

  /** Groups of interfaces that are captured by one collector. */
  public List<List<String>> groups() {
    return merge && !interfaces.isEmpty()
        ? List.of(interfaces)
        : interfaces.stream().map(List::of).toList();
  }

  private static void require(String key, int value, int min, int max, String unit) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "capture.%s: %d is out of range, expected %d to %d %s"
              .formatted(key, value, min, max, unit));
    }
  }
}
