/**
 * Benchmark of the effect of more processes: TaskManagers and workers of Trino, each limited to a
 * fraction of a core, so that several of them run on this machine as on separate hosts.
 */
package io.millrace.lab.scale;
