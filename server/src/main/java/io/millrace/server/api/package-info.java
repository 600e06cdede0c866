/**
 * HTTP API: {@link io.millrace.server.api.HttpServer} dispatches a request to its {@link
 * io.millrace.server.api.Endpoint}, which translates it to one call. SQL is only in {@code store}.
 */
package io.millrace.server.api;
