/**
 * Traffic of an exchange point, made up: repeatable, as real sFlow, with the truth beside it.
 *
 * <p>{@link io.millrace.traffic.TrafficGenerator} makes datagrams from the networks of an {@link
 * io.millrace.traffic.model.AddressPool}; {@link io.millrace.traffic.PreparedTraffic} makes them
 * once and hands them out again and again with their sequence numbers put right, where the
 * generator must not be what is measured. {@link io.millrace.traffic.UdpSender} sends them on a
 * schedule, {@link io.millrace.traffic.LogFiller} packs them for the log, and {@link
 * io.millrace.traffic.TruthCounter} counts what a collector must arrive at.
 */
package io.millrace.traffic;
