/**
 * Which parts of a process are alive: {@link io.millrace.wire.pulse.Pulse}. It is no matter of the
 * wire, and stands here since collector, log and store, which do not know each other, have parts.
 */
package io.millrace.wire.pulse;
