/**
 * Common parts of the encoders of messages.
 *
 * <p>{@link io.millrace.wire.message.OutputColumns} lists the columns of a message, {@link
 * io.millrace.wire.message.RowValues} reads them from a block, {@link
 * io.millrace.wire.message.JoinedTexts} has the texts that the block has as numbers, and a {@link
 * io.millrace.wire.message.FlowEncoder} writes them.
 */
package io.millrace.wire.message;
