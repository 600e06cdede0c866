/**
 * UDP collector and loss ledger.
 *
 * <p>{@link io.millrace.server.collect.UdpCollector} is minimal: one thread reads the sockets,
 * stamps time and sender, packs batches and writes them to a {@link
 * io.millrace.engine.log.LogAppender}; it decodes nothing but the sequence number. From those
 * numbers {@link io.millrace.server.collect.LossLedger} accounts for every datagram of each
 * exporter, {@link io.millrace.server.collect.Doctor} derives findings, and {@link
 * io.millrace.server.collect.LedgerText} formats both.
 */
package io.millrace.server.collect;
