/**
 * Applications of traffic: {@link io.millrace.analytics.app.AppTracker} assembles packets to flows
 * and uses a {@link io.millrace.analytics.app.Classifier}. The built-in one has a dissector for
 * each protocol with a complex structure ({@link io.millrace.analytics.app.TlsDissector}), a table
 * of signatures for those recognised by a few bytes, a table of host names, and ports as fallback.
 */
package io.millrace.analytics.app;
