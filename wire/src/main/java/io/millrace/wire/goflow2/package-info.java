/**
 * GoFlow2's messages of flows: {@code flowpb.FlowMessage} in protobuf, and in JSON.
 *
 * <p>{@link io.millrace.wire.goflow2.FlowMessageDecoder} converts messages to rows, {@link
 * io.millrace.wire.goflow2.FlowMessageEncoder} rows to messages, both directly between bytes and
 * columns. {@link io.millrace.wire.goflow2.FlowMessageLayout} has the field numbers, and {@link
 * io.millrace.wire.goflow2.FlowMessageSchema} writes them as a schema file.
 */
package io.millrace.wire.goflow2;
