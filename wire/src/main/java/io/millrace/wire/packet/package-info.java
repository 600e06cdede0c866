/**
 * The headers of one packet, from the link layer to the ports: what a sampled header or a captured
 * frame says about its flow.
 *
 * <p>{@link io.millrace.wire.packet.PacketHeaderParser} reads a header, whole or cut off, into one
 * row of a {@link io.millrace.wire.block.FlowBlock}; {@link io.millrace.wire.packet.PacketLayout}
 * draws the headers and names their offsets. The first IP layer counts: tunnels are not opened.
 */
package io.millrace.wire.packet;
