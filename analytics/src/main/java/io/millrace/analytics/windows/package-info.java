/**
 * Aggregates over windows of event time. Sliding windows are kept as panes ({@link
 * io.millrace.analytics.windows.SlidingSums}): a row costs the same however often its windows
 * slide.
 */
package io.millrace.analytics.windows;
