/**
 * Rows on their way out: what the encoders of messages for others share.
 *
 * <p>{@link io.millrace.wire.message.OutputColumns} says which columns a message has, {@link
 * io.millrace.wire.message.RowValues} reads them out of a block, {@link
 * io.millrace.wire.message.JoinedTexts} has the texts that the block holds as numbers, and a {@link
 * io.millrace.wire.message.FlowEncoder} writes them.
 */
package io.millrace.wire.message;
