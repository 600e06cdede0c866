/** Pipelines over records that are in the log. */
package io.millrace.bench.records;
