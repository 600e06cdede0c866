/** Trends in flows, as a pipeline attached to their job. */
package io.millrace.pipelines.flowtrends;
