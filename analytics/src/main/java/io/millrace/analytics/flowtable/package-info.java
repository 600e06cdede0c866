/**
 * Assembly of packets to flows: {@link io.millrace.analytics.flowtable.Packet} reads a packet's
 * headers, {@link io.millrace.analytics.flowtable.FlowTable} assigns packets of both directions to
 * flows, and {@link io.millrace.analytics.flowtable.StreamHead} orders the first bytes of a TCP
 * connection. All memory is bounded for any input.
 */
package io.millrace.analytics.flowtable;
