/**
 * Delivery of results to HTTP servers: {@link io.millrace.engine.webhook.Webhook} reads a topic of
 * results and posts them; a slow or failed receiver blocks nothing else.
 */
package io.millrace.engine.webhook;
