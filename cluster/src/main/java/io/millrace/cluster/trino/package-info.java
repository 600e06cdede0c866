/** Trino on this machine, reading the tables of an instance through its catalog. */
package io.millrace.cluster.trino;
