/**
 * Signals about expiring quotas: {@link io.millrace.analytics.quota.UsageFilter} filters usage
 * records, {@link io.millrace.analytics.quota.SignalJoiner} joins them with streaming events.
 */
package io.millrace.analytics.quota;
