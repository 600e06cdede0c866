/**
 * Who is to be told that a quota runs out: {@link io.millrace.analytics.quota.UsageFilter} judges
 * usage records, {@link io.millrace.analytics.quota.SignalJoiner} joins what it keeps with
 * streaming events.
 */
package io.millrace.analytics.quota;
