/**
 * Alerts for new keys among those that windows report. {@link io.millrace.analytics.alerts.NewKeys}
 * emits each once, however many windows report it.
 */
package io.millrace.analytics.alerts;
