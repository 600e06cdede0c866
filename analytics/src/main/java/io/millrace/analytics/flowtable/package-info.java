/**
 * Assembles flows from packets: {@link io.millrace.analytics.flowtable.Packet} reads a packet's
 * headers, {@link io.millrace.analytics.flowtable.FlowTable} assigns packets of both directions to
 * flows, and {@link io.millrace.analytics.flowtable.StreamHead} orders the first bytes of a TCP
 * connection. Memory is bounded for any packets.
 */
package io.millrace.analytics.flowtable;
