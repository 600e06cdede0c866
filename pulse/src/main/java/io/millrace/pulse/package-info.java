/**
 * Which parts of a process are alive: {@link io.millrace.pulse.Pulse}. A module of its own, since
 * collector, log and store, which do not know each other, all have such parts.
 */
package io.millrace.pulse;
