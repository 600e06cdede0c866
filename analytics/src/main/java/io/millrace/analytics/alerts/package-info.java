/**
 * Alerts: new keys among those that windows report. {@link io.millrace.analytics.alerts.NewKeys}
 * reports each once, for any number of windows.
 */
package io.millrace.analytics.alerts;
