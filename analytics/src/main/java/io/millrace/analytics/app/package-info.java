/**
 * Which applications the traffic is: {@link io.millrace.analytics.app.AppTracker} makes flows of
 * packets and asks a {@link io.millrace.analytics.app.Classifier}. The one built in has a dissector
 * for each protocol with a structure of its own ({@link io.millrace.analytics.app.TlsDissector}), a
 * table of signatures for those that are known by a few bytes, a table of hosts' names, and ports
 * where nothing else is known.
 */
package io.millrace.analytics.app;
