/**
 * Millrace as others run it, and everything that happens to it at once: a process of its own that
 * is killed again and again, exporters of four protocols, floods, malformed datagrams, and people
 * who ask.
 *
 * <p>{@link io.millrace.bench.soak.SoakBenchmark} says what must hold at the end, and {@link
 * io.millrace.bench.soak.Reconciliation} does the sums.
 */
package io.millrace.bench.soak;
