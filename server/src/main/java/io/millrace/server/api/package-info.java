/**
 * The HTTP listener: {@link io.millrace.server.api.HttpServer} finds the {@link
 * io.millrace.server.api.Endpoint} of a request, an endpoint translates it to one call and the
 * result back. SQL stands in {@code store}, not here.
 */
package io.millrace.server.api;
