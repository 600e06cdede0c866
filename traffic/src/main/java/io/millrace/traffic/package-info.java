/**
 * Synthetic traffic of an internet exchange: repeatable, as real sFlow, with known truth.
 *
 * <p>{@link io.millrace.traffic.TrafficGenerator} makes datagrams from the networks of an {@link
 * io.millrace.traffic.model.AddressPool}. {@link io.millrace.traffic.UdpSender} sends them on a
 * schedule, and {@link io.millrace.traffic.TruthCounter} counts what a collector must arrive at.
 */
package io.millrace.traffic;
