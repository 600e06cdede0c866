package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import java.nio.ByteBuffer;

/**
 * The head of an sFlow datagram, as much of it as a collector needs (sFlow version 5, section 5):
 *
 * <pre>
 *   0         4              8          8+n         12+n       16+n     20+n
 *   +---------+--------------+----------+-----------+----------+--------+--
 *   | ver = 5 | address type | agent, n | sub-agent | sequence | uptime | …
 *   +---------+--------------+----------+-----------+----------+--------+--
 * </pre>
 *
 * with n = 4 for address type 1 (IPv4) and n = 16 for type 2 (IPv6), uptime in milliseconds. Reads
 * at absolute positions of a big-endian buffer and keeps nothing of it. Not thread-safe.
 */
final class SflowHeader {
  private static final int VERSION = 5;
  private static final int TYPE_OFFSET = 4;
  private static final int AGENT_OFFSET = 8;
  private static final int FIXED_LENGTH = 24; // all but the agent's address
  private static final int IP_V4 = 1;
  private static final int IP_V6 = 2;

  private long agentHigh;
  private long agentLow;
  private int subAgent;
  private int sequence;
  private int uptimeMillis;

  /** Reads a datagram's head; false if it is not sFlow version 5, and the fields are as before. */
  boolean read(ByteBuffer datagram, int offset, int length) {
    if (length < FIXED_LENGTH + 4 || datagram.getInt(offset) != VERSION) {
      return false;
    }
    int agent = offset + AGENT_OFFSET;
    int type = datagram.getInt(offset + TYPE_OFFSET);
    int behindAgent;
    if (type == IP_V4) {
      agentHigh = 0;
      agentLow = Addresses.v4Low(datagram.getInt(agent));
      behindAgent = agent + 4;
    } else if (type == IP_V6 && length >= FIXED_LENGTH + 16) {
      agentHigh = datagram.getLong(agent);
      agentLow = datagram.getLong(agent + 8);
      behindAgent = agent + 16;
    } else {
      return false;
    }
    subAgent = datagram.getInt(behindAgent);
    sequence = datagram.getInt(behindAgent + 4);
    uptimeMillis = datagram.getInt(behindAgent + 8);
    return true;
  }

  long agentHigh() {
    return agentHigh;
  }

  long agentLow() {
    return agentLow;
  }

  int subAgent() {
    return subAgent;
  }

  int sequence() {
    return sequence;
  }

  int uptimeMillis() {
    return uptimeMillis;
  }
}
