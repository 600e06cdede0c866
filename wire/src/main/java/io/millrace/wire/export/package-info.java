/**
 * Common parts of all export protocols: detection by content, and sender and sequence number from
 * the first bytes.
 */
package io.millrace.wire.export;
