/**
 * Packets: link layers, IP, and transport headers.
 *
 * <p>A {@link io.millrace.wire.packet.LinkType} gives the type of the first bytes of a packet,
 * whether it comes from a capture file, an exporter's sampled header or a socket.
 */
package io.millrace.wire.packet;
