/** What is rising in the flows, as a pipeline behind them. */
package io.millrace.pipelines.flowtrends;
