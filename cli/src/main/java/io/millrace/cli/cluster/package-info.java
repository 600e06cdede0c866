/** {@code millrace cluster}: a cluster of separate processes on this machine. */
package io.millrace.cli.cluster;
