/**
 * Aggregates over windows of event time. Sliding windows are kept as panes ({@link
 * io.millrace.analytics.windows.SlidingSums}): a row costs the same whether its windows slide once
 * or six hundred times in their length.
 */
package io.millrace.analytics.windows;
