/**
 * Packets as networks carry them: link layers, IP, and what is behind IP.
 *
 * <p>Whatever holds a piece of a packet says with a {@link io.millrace.wire.packet.LinkType} how
 * its first bytes are to be read: a capture file, a sampled header of an exporter, a socket.
 */
package io.millrace.wire.packet;
