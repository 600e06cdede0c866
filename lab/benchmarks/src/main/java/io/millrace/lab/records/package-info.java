/** Runs of pipelines over records from the log or from memory. */
package io.millrace.lab.records;
