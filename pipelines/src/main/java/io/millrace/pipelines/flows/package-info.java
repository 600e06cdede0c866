/**
 * The main job: raw datagrams from the log are decoded, joined with the declared data sets and
 * stored in the table {@code flows}. {@link io.millrace.pipelines.flows.FlowsPipeline} combines the
 * steps; each is an analyzer that does not depend on the engine.
 */
package io.millrace.pipelines.flows;
