package io.millrace.analytics.flowtable;

import java.io.Serializable;

/**
 * Limits of a {@link FlowTable}.
 *
 * @param maxFlows maximum number of flows; a flow takes about 300 bytes
 * @param idleMicros idle timeout
 * @param tcpIdleMicros idle timeout of TCP connections whose handshake was captured
 * @param shortIdleMicros idle timeout of closed connections, and of those with only a first packet
 * @param activeMicros active timeout: interval at which a long flow is reported
 * @param headBytes bytes per direction kept until the flow is classified
 * @param headMemoryBytes limit for these bytes of all flows
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

  public FlowTableConfig {
    if (maxFlows < 1 || maxFlows > 1 << 26) {
      throw new IllegalArgumentException("max-flows: " + maxFlows + ", expected 1 to 67108864");
    }
    if (shortIdleMicros <= 0 || idleMicros <= 0 || tcpIdleMicros <= 0 || activeMicros <= 0) {
      throw new IllegalArgumentException("flow timeouts must be longer than 0");
    }
    if (headBytes < 256 || headBytes > 65_536 || headMemoryBytes < headBytes) {
      throw new IllegalArgumentException(
          "head: "
              + headBytes
              + " bytes, expected 256 to 65536, at most its memory of "
              + headMemoryBytes);
    }
  }

  /**
   * 262,144 flows; 60 s, 5 min, 15 s; active timeout of 30 min; first 16 KiB per direction, 64 MiB
   * in total.
   */
  public static FlowTableConfig defaults() {
    return new FlowTableConfig(
        1 << 18, 60 * SECOND, 300 * SECOND, 15 * SECOND, 1_800 * SECOND, 16 << 10, 64L << 20);
  }

  /** These limits without timeouts, for captures, whose end ends all flows. */
  public FlowTableConfig withoutTimeouts() {
    return new FlowTableConfig(
        maxFlows, CENTURY, CENTURY, CENTURY, CENTURY, headBytes, headMemoryBytes);
  }
}
