/**
 * Alerts: of the keys that windows report, those that are new. {@link
 * io.millrace.analytics.alerts.NewKeys} reports each once, however many windows it lasts.
 */
package io.millrace.analytics.alerts;
