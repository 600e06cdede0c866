/**
 * Flows made of packets: {@link io.millrace.analytics.flowtable.Packet} is what a packet says,
 * {@link io.millrace.analytics.flowtable.FlowTable} puts packets of both directions into flows, and
 * {@link io.millrace.analytics.flowtable.StreamHead} puts the first bytes of a TCP connection in
 * order. All of it is bounded, whatever the packets are.
 */
package io.millrace.analytics.flowtable;
