package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.KeyHash;

/**
 * Who counts datagrams with one sequence of numbers: a {@link Channel} of an agent, seen from a
 * sender. (The agent may differ from the sender behind a relay or a translator of addresses.) In
 * sFlow the UDP port is no part of it: agents change theirs when they restart. Addresses are in the
 * form of {@link Addresses}.
 *
 * @param senderHigh upper half of the address that the datagrams come from
 * @param senderLow lower half
 * @param agentHigh upper half of the agent's address as the datagram says it; no address where the
 *     protocol names none
 * @param agentLow lower half
 * @param channel the {@link Channel}
 */
public record ExporterKey(
    long senderHigh, long senderLow, long agentHigh, long agentLow, long channel) {

  @Override
  public int hashCode() {
    long agent = KeyHash.with(KeyHash.of(senderHigh, senderLow), agentHigh);
    return (int) KeyHash.with(KeyHash.with(agent, agentLow), channel);
  }

  /** Stands for all exporters beyond the number that are counted one by one. */
  public static final ExporterKey OTHERS = unknown(Addresses.NULL, Addresses.NULL);

  /** Stands for those of a sender that are not counted one by one. */
  public ExporterKey others() {
    return isOfAll()
        ? OTHERS
        : new ExporterKey(
            senderHigh,
            Addresses.senderLow(senderHigh, senderLow),
            Addresses.NULL,
            Addresses.NULL,
            Channel.OTHERS);
  }

  private boolean isOfAll() {
    return Addresses.isNull(senderHigh, senderLow);
  }

  /** Whether several exporters are counted under this key. */
  public boolean isOthers() {
    return channel == Channel.OTHERS || equals(OTHERS);
  }

  /** The key of everything that comes from a sender in a protocol that we do not know. */
  public static ExporterKey unknown(long senderHigh, long senderLow) {
    return new ExporterKey(senderHigh, senderLow, Addresses.NULL, Addresses.NULL, Channel.UNKNOWN);
  }

  /** The protocol. */
  public ExportProtocol protocol() {
    return Channel.protocol(channel);
  }

  /** Sub-agent, engine, source id or observation domain, 32 bits, unsigned. */
  public int part() {
    return Channel.part(channel);
  }

  /** Whether the datagrams name an agent. */
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
   * The sender, and the agent, where it is another address; whatever ports, domains and sub-agents
   * it has: {@code 192.0.2.1}, {@code 192.0.2.1 agent 10.0.0.1}.
   */
  public String device() {
    if (isOthers()) {
      return toString();
    }
    boolean isRelayed = hasAgent() && (agentHigh != senderHigh || agentLow != senderLow);
    return isRelayed ? sender() + " agent " + agent() : sender();
  }

  /**
   * The sender; the agent too, where it is another address; the part, where it is not 0; protocol
   * and port, where it is not sFlow: {@code 192.0.2.1 agent 10.0.0.1/3}, {@code 192.0.2.1/256 ipfix
   * from port 4739}.
   */
  @Override
  public String toString() {
    if (isOthers() && !isOfAll()) {
      return sender() + (Addresses.isV4(senderHigh, senderLow) ? " others" : "/64 others");
    }
    StringBuilder text = new StringBuilder(isOfAll() ? "others" : device());
    if (part() != 0) {
      text.append('/').append(Integer.toUnsignedString(part()));
    }
    if (protocol().ordinal() > ExportProtocol.SFLOW.ordinal()) {
      text.append(' ').append(protocol().label());
      text.append(" from port ").append(Channel.port(channel));
    }
    return text.toString();
  }
}
