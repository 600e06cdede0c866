/**
 * Millrace as others run it, and everything that happens to it at once: a process of its own that
 * is killed again and again, exporters of four protocols, floods, malformed datagrams, and people
 * who ask.
 *
 * <p>{@link io.millrace.lab.soak.SoakBenchmark} says what must hold at the end, and {@link
 * io.millrace.lab.soak.Reconciliation} does the sums.
 */
package io.millrace.lab.soak;
