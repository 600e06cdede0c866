/**
 * Common parts of all export protocols: detection of the protocol, exporter and sequence number
 * from the first bytes.
 */
package io.millrace.wire.export;
