/** End-to-end benchmarks in one process, from the log or the socket to rows that SQL sees. */
package io.millrace.lab.endtoend;
