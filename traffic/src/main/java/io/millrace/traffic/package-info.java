/**
 * Synthetic traffic of an internet exchange: repeatable sFlow with known content.
 *
 * <p>{@link io.millrace.traffic.TrafficGenerator} generates datagrams from the networks of an
 * {@link io.millrace.traffic.model.AddressPool}. {@link io.millrace.traffic.UdpSender} sends them
 * on a schedule, and {@link io.millrace.traffic.TruthCounter} counts what a collector must store.
 */
package io.millrace.traffic;
