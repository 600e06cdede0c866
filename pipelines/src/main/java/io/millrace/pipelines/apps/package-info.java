/**
 * Which applications the traffic is: packets → flows → applications → tables. What the steps do is
 * {@link io.millrace.analytics.app}.
 */
package io.millrace.pipelines.apps;
