package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.sflow.SflowHeader;

/**
 * Who counts datagrams with one sequence of numbers: a sub-agent of an agent, seen from a sender.
 * (The agent may differ from the sender behind a relay or a translator of addresses.) The UDP port
 * is no part of it: agents change theirs when they restart. Addresses are in the form of {@link
 * Addresses}.
 *
 * @param senderHigh upper half of the address that the datagrams come from
 * @param senderLow lower half
 * @param agentHigh upper half of the agent's address as the datagram says it; no address where the
 *     protocol is unknown
 * @param agentLow lower half
 * @param subAgent the agent's own number for its part, 0 where the protocol is unknown
 */
public record ExporterKey(
    long senderHigh, long senderLow, long agentHigh, long agentLow, int subAgent) {

  /** The key of everything that comes from a sender in a protocol that we do not know. */
  public static ExporterKey unknown(long senderHigh, long senderLow) {
    return new ExporterKey(senderHigh, senderLow, Addresses.NULL, Addresses.NULL, 0);
  }

  /**
   * The key of an sFlow datagram.
   *
   * @param bytes hold a datagram of which {@link SflowHeader#looksLike} is true
   * @param offset where it starts
   */
  static ExporterKey of(long senderHigh, long senderLow, byte[] bytes, int offset) {
    return new ExporterKey(
        senderHigh,
        senderLow,
        SflowHeader.agentHigh(bytes, offset),
        SflowHeader.agentLow(bytes, offset),
        SflowHeader.subAgent(bytes, offset));
  }

  /** Whether the datagrams are of a protocol that we know, and so have an agent. */
  public boolean hasAgent() {
    return !Addresses.isNull(agentHigh, agentLow);
  }

  /** Address of the sender as text. */
  public String sender() {
    return Addresses.toText(senderHigh, senderLow);
  }

  /** Address of the agent as text, empty for none. */
  public String agent() {
    return Addresses.toText(agentHigh, agentLow);
  }

  /**
   * The sender; the agent too, where it is another address; the sub-agent, where it is not 0:
   * {@code 192.0.2.1 agent 10.0.0.1/3}.
   */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(sender());
    if (text.length() == 0) {
      text.append("others");
    }
    if (hasAgent() && (agentHigh != senderHigh || agentLow != senderLow)) {
      text.append(" agent ").append(agent());
    }
    if (subAgent != 0) {
      text.append('/').append(Integer.toUnsignedString(subAgent));
    }
    return text.toString();
  }
}
