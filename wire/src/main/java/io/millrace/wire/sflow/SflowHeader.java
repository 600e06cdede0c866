package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u32;

import io.millrace.wire.block.Addresses;

/**
 * Header of a datagram, read without decoding the rest: enough for a collector to detect the
 * protocol and count losses.
 *
 * <p>{@link #looksLike} and {@link #headerLength} accept any bytes. The other methods require a
 * datagram for which {@link #headerLength} did not return -1. Stateless and thread-safe.
 */
public final class SflowHeader {
  private SflowHeader() {}

  /** Whether the bytes are an sFlow version 5 datagram by their content, complete or truncated. */
  public static boolean looksLike(byte[] bytes, int off, int len) {
    return headerLength(bytes, off, len) >= 0;
  }

  /**
   * Length of the datagram's header in bytes; -1 if the bytes are truncated within it, are of
   * another version, or have an agent that is neither IPv4 nor IPv6.
   */
  public static int headerLength(byte[] bytes, int off, int len) {
    if (len < SflowLayout.HEADER_LENGTH_IPV4 || i32(bytes, off) != SflowLayout.VERSION) {
      return -1;
    }
    int type = i32(bytes, off + SflowLayout.ADDRESS_TYPE_OFFSET);
    if (type == SflowLayout.ADDRESS_IPV4) {
      return SflowLayout.HEADER_LENGTH_IPV4;
    }
    return type == SflowLayout.ADDRESS_IPV6 && len >= SflowLayout.HEADER_LENGTH_IPV6
        ? SflowLayout.HEADER_LENGTH_IPV6
        : -1;
  }

  /** Upper half of the agent's address, as {@link Addresses}. */
  public static long agentHigh(byte[] bytes, int off) {
    return isIpv4(bytes, off) ? 0 : i64(bytes, off + SflowLayout.AGENT_OFFSET);
  }

  /** Lower half of the agent's address. */
  public static long agentLow(byte[] bytes, int off) {
    return isIpv4(bytes, off)
        ? Addresses.v4Low(i32(bytes, off + SflowLayout.AGENT_OFFSET))
        : i64(bytes, off + SflowLayout.AGENT_OFFSET + 8);
  }

  /** Number of the sub-agent; 32 bits, unsigned. */
  public static int subAgent(byte[] bytes, int off) {
    return i32(bytes, afterAgent(bytes, off) + SflowLayout.SUB_AGENT_OFFSET);
  }

  /** Number of the datagram, counted by each sub-agent; wraps at 2³². */
  public static long sequence(byte[] bytes, int off) {
    return u32(bytes, afterAgent(bytes, off) + SflowLayout.SEQUENCE_OFFSET);
  }

  /** Milliseconds since the agent started; wraps at 2³². */
  public static long uptime(byte[] bytes, int off) {
    return u32(bytes, afterAgent(bytes, off) + SflowLayout.UPTIME_OFFSET);
  }

  static int samples(byte[] bytes, int off) {
    return i32(bytes, afterAgent(bytes, off) + SflowLayout.SAMPLES_OFFSET);
  }

  private static boolean isIpv4(byte[] bytes, int off) {
    return i32(bytes, off + SflowLayout.ADDRESS_TYPE_OFFSET) == SflowLayout.ADDRESS_IPV4;
  }

  private static int afterAgent(byte[] bytes, int off) {
    return off + SflowLayout.AGENT_OFFSET + (isIpv4(bytes, off) ? 4 : 16);
  }
}
