/** Benchmarks of queries over months of flows. */
package io.millrace.lab.series;
