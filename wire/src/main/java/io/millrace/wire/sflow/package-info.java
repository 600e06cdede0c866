/**
 * sFlow version 5 (sflow.org, "sFlow Version 5", July 2004): datagrams to columns and back.
 *
 * <p>{@link io.millrace.wire.sflow.SflowDecoder} appends flow samples to a {@link
 * io.millrace.wire.block.FlowBlock} and interface counters to a {@link
 * io.millrace.wire.block.CounterBlock}; {@link io.millrace.wire.sflow.SflowEncoder} writes the same
 * datagrams; {@link io.millrace.wire.sflow.SflowLayout} draws them. The protocol is stateless: each
 * datagram is decoded alone.
 */
package io.millrace.wire.sflow;
