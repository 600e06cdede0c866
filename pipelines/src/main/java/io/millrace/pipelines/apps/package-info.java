/**
 * Applications of packets: packets → flows → applications → tables. The steps are in {@link
 * io.millrace.analytics.app}.
 */
package io.millrace.pipelines.apps;
