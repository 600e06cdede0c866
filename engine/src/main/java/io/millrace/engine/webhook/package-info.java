/**
 * Results out to somebody's HTTP server: {@link io.millrace.engine.webhook.Webhook} reads a topic
 * of results and posts them, so that whoever hangs or is away holds up nobody else.
 */
package io.millrace.engine.webhook;
