/**
 * NetFlow version 5, version 9 (RFC 3954) and IPFIX (RFC 7011, 7012, 5103): datagrams to columns
 * and back.
 *
 * <p>{@link io.millrace.wire.netflow.NetflowDecoder} appends flow records to a {@link
 * io.millrace.wire.block.FlowBlock}; the templates that describe them are its state, in the order
 * of the stream. A template is compiled once to a plan, and its records are then decoded column by
 * column; version 5 has a built-in template. {@link io.millrace.wire.netflow.NetflowLayout} draws
 * the messages.
 */
package io.millrace.wire.netflow;
