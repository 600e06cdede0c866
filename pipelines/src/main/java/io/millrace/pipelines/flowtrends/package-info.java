/** Trends in flows, as a pipeline attached to the job of flows. */
package io.millrace.pipelines.flowtrends;
