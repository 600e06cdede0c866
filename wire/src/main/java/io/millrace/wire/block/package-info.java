/**
 * The blocks that move through Millrace: datagrams as they came ({@link
 * io.millrace.wire.block.RawBatch}), and flows as columns ({@link
 * io.millrace.wire.block.FlowBlock}).
 *
 * <p>No object is made for a packet: a block is a handful of primitive arrays, and a loop over a
 * column is plain Java that the JIT can vectorise. {@link io.millrace.wire.block.FlowColumn} is the
 * one list of columns; {@link io.millrace.wire.block.BlockCodec} turns blocks into bytes and back.
 */
package io.millrace.wire.block;
