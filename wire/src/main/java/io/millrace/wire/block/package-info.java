/**
 * Blocks of the pipeline: unmodified datagrams ({@link io.millrace.wire.block.RawBatch}), and flows
 * as columns ({@link io.millrace.wire.block.FlowBlock}).
 *
 * <p>Packets are not objects: a block consists of a few primitive arrays, so the JIT can vectorise
 * loops over a column. {@link io.millrace.wire.block.FlowColumn} lists the columns; {@link
 * io.millrace.wire.block.BlockCodec} serialises blocks.
 */
package io.millrace.wire.block;
