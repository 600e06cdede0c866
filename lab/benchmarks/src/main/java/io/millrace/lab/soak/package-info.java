/**
 * Millrace as a separate process under all faults at once: repeated kills, exporters of four
 * protocols, floods, malformed datagrams, and queries.
 *
 * <p>{@link io.millrace.lab.soak.SoakBenchmark} describes the guarantees, and {@link
 * io.millrace.lab.soak.Reconciliation} checks the counts.
 */
package io.millrace.lab.soak;
