/** Tokens and TLS certificates of the listeners. */
package io.millrace.server.access;
