/** Pipelines over records that are in the log, or in memory. */
package io.millrace.lab.records;
