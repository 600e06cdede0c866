/**
 * The packet counter: log → packets → sums by second, protocol and 5-tuple → tables. The steps are
 * in {@link io.millrace.analytics.packets}.
 */
package io.millrace.pipelines.count;
