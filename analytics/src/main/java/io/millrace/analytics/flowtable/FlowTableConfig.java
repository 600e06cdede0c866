package io.millrace.analytics.flowtable;

import java.io.Serializable;

/**
 * Bounds of a {@link FlowTable}.
 *
 * @param maxFlows most flows at a time; a flow takes about 300 bytes
 * @param idleMicros a flow in which nothing came for so long is over
 * @param tcpIdleMicros the same for TCP connections whose handshake was seen
 * @param shortIdleMicros the same for connections that are closed, and for those of which only the
 *     first packet was seen
 * @param activeMicros a flow that lasts longer is told in parts of this length
 * @param headBytes bytes of each direction that are kept until the flow is classified
 * @param headMemoryBytes for what all flows keep of that
 */
public record FlowTableConfig(
    int maxFlows,
    long idleMicros,
    long tcpIdleMicros,
    long shortIdleMicros,
    long activeMicros,
    int headBytes,
    long headMemoryBytes)
    implements Serializable {
  private static final long SECOND = 1_000_000;
  private static final long CENTURY = 36_525L * 86_400 * SECOND;

  /** Checks that all of it can be meant. */
  public FlowTableConfig {
    if (maxFlows < 1 || maxFlows > 1 << 26) {
      throw new IllegalArgumentException("max-flows: " + maxFlows + " is not 1 to 67108864");
    }
    if (shortIdleMicros <= 0 || idleMicros <= 0 || tcpIdleMicros <= 0 || activeMicros <= 0) {
      throw new IllegalArgumentException("a time-out of a flow must be longer than nothing");
    }
    if (headBytes < 256 || headBytes > 65_536 || headMemoryBytes < headBytes) {
      throw new IllegalArgumentException(
          "head: " + headBytes + " bytes is not 256 to 65536, or more than its memory");
    }
  }

  /** 262,144 flows; 60 s, 5 min, 15 s; parts of 30 min; 16 KiB of a direction, 64 MiB in all. */
  public static FlowTableConfig defaults() {
    return new FlowTableConfig(
        1 << 18, 60 * SECOND, 300 * SECOND, 15 * SECOND, 1_800 * SECOND, 16 << 10, 64L << 20);
  }

  /** The same where no time ends a flow: for captures, which have an end themselves. */
  public FlowTableConfig withoutTimeouts() {
    return new FlowTableConfig(
        maxFlows, CENTURY, CENTURY, CENTURY, CENTURY, headBytes, headMemoryBytes);
  }
}
