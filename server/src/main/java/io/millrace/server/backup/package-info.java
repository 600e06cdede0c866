/** Copies of the store of a running instance. */
package io.millrace.server.backup;
