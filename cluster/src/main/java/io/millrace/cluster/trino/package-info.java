/** Trino processes on this machine, which read an instance's tables through its catalog. */
package io.millrace.cluster.trino;
