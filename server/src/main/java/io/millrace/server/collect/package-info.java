/**
 * Datagrams from the network into the log, and the ledger that says where each one went.
 *
 * <p>{@link io.millrace.server.collect.UdpCollector} does as little as it can: one thread reads the
 * sockets, stamps time and sender, packs batches and offers them to a {@link
 * io.millrace.server.collect.BatchLog}; it decodes nothing but the sequence number. From those
 * numbers {@link io.millrace.server.collect.LossLedger} makes a sum for each exporter that adds up,
 * {@link io.millrace.server.collect.Doctor} turns it into advice, and {@link
 * io.millrace.server.collect.LedgerText} writes both down.
 */
package io.millrace.server.collect;
