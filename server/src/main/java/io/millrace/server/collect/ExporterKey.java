package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.KeyHash;

/**
 * Identity of an exporter, which has one sequence of numbers: sender, agent and {@link Channel}.
 * With a relay or NAT, the agent differs from the sender. For sFlow the UDP port is not part of it,
 * since agents change it at a restart. Addresses have the form of {@link Addresses}.
 *
 * @param senderHigh upper half of the source address
 * @param senderLow lower half
 * @param agentHigh upper half of the agent's address in the datagram; {@link Addresses#NULL} if the
 *     protocol has none
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

  /** Key of all exporters beyond the limit of individually counted ones. */
  public static final ExporterKey OTHERS = unknown(Addresses.NULL, Addresses.NULL);

  /** Key of the sender's exporters that are not counted individually. */
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

  /** Whether this is the key of merged exporters. */
  public boolean isOthers() {
    return channel == Channel.OTHERS || equals(OTHERS);
  }

  /** Key of a sender's datagrams with an unknown protocol. */
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

  /** Source address as text. */
  public String sender() {
    return Addresses.toText(senderHigh, senderLow);
  }

  /** Address of the agent as text; empty for none. */
  public String agent() {
    return Addresses.toText(agentHigh, agentLow);
  }

  /**
   * Name of the device: sender, and agent if its address differs, without ports, domains and
   * sub-agents: {@code 192.0.2.1}, {@code 192.0.2.1 agent 10.0.0.1}.
   */
  public String device() {
    if (isOthers()) {
      return toString();
    }
    boolean isRelayed = hasAgent() && (agentHigh != senderHigh || agentLow != senderLow);
    return isRelayed ? sender() + " agent " + agent() : sender();
  }

  /**
   * Name: sender; agent if its address differs; part if it is not 0; protocol and port unless
   * sFlow: {@code 192.0.2.1 agent 10.0.0.1/3}, {@code 192.0.2.1/256 ipfix from port 4739}.
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
