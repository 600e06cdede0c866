/**
 * The packet counter: log → packets → sums by second, protocol and 5-tuple → tables. What the steps
 * do is {@link io.millrace.analytics.packets}.
 */
package io.millrace.pipelines.count;
