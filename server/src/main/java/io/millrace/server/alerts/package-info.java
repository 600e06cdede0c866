/** Alerts of the past: the history of what pipelines have reported, for the API. */
package io.millrace.server.alerts;
