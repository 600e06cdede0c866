/**
 * UDP collector and loss ledger.
 *
 * <p>{@link io.millrace.server.collect.UdpCollector} is minimal: one thread reads the sockets, adds
 * time and sender, and writes batches to a {@link io.millrace.engine.log.LogAppender}. It decodes
 * only sequence numbers. From these {@link io.millrace.server.collect.LossLedger} accounts for
 * every datagram of each exporter, {@link io.millrace.server.collect.Doctor} derives findings, and
 * {@link io.millrace.server.collect.LedgerText} formats both.
 */
package io.millrace.server.collect;
