package io.millrace.server.capture;

import java.util.HashSet;
import java.util.List;

/**
 * Settings of the capture of packets.
 *
 * @param interfaces whose packets are captured; empty for none
 * @param snapLengthBytes of a packet that are kept, 64 to 64 KiB
 * @param promiscuous whether packets to others are captured too
 * @param filter which packets, in the language of tcpdump; empty for all
 * @param ringBytes that the kernel may fill while we are held up, for each interface, 1 MiB to 1
 *     GiB
 * @param lingerMillis how long the kernel may wait for a block of the ring to fill, 1 ms to 1 s
 */
public record PacketsConfig(
    List<String> interfaces,
    int snapLengthBytes,
    boolean promiscuous,
    String filter,
    int ringBytes,
    int lingerMillis) {
  /** Nothing is captured. */
  public static final PacketsConfig OFF =
      new PacketsConfig(List.of(), 64 << 10, true, "", 64 << 20, 50);

  /** Checks every setting. */
  public PacketsConfig {
    interfaces = List.copyOf(interfaces);
    if (new HashSet<>(interfaces).size() < interfaces.size()) {
      throw new IllegalArgumentException("packets.interfaces: " + interfaces + " names one twice");
    }
    require("snap-length", snapLengthBytes, 64, 64 << 10, "bytes");
    require("ring", ringBytes, 1 << 20, 1 << 30, "bytes");
    require("linger", lingerMillis, 1, 1_000, "ms");
  }

  /** The same for other interfaces. */
  public PacketsConfig withInterfaces(String... names) {
    return new PacketsConfig(
        List.of(names), snapLengthBytes, promiscuous, filter, ringBytes, lingerMillis);
  }

  /** The same with a filter. */
  public PacketsConfig withFilter(String expression) {
    return new PacketsConfig(
        interfaces, snapLengthBytes, promiscuous, expression, ringBytes, lingerMillis);
  }

  /** The same with other bounds of a packet and of the ring. */
  public PacketsConfig withBytes(int snapLength, int ring) {
    return new PacketsConfig(interfaces, snapLength, promiscuous, filter, ring, lingerMillis);
  }

  private static void require(String key, int value, int least, int most, String unit) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "packets.%s: %d is not in %d to %d %s".formatted(key, value, least, most, unit));
    }
  }
}
