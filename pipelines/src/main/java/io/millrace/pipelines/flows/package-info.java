/**
 * The main job: raw datagrams from the log are decoded, joined with the declared data sets and
 * stored in the table {@code flows}. {@link io.millrace.pipelines.flows.FlowsPipeline} is the whole
 * of it; each step is an analyzer that knows no engine.
 */
package io.millrace.pipelines.flows;
