/**
 * Process infrastructure: liveness of the parts of a process ({@link io.millrace.pulse.Pulse}),
 * child processes ({@link io.millrace.pulse.ChildProcess}) and ports ({@link
 * io.millrace.pulse.FreePort}); recursive deletion ({@link io.millrace.pulse.DirectoryTree}), units
 * of time ({@link io.millrace.pulse.TimeUnits}), locale and time zone ({@link
 * io.millrace.pulse.HostDefaults}), and the machine's name ({@link io.millrace.pulse.LocalHost}). A
 * separate module, because the modules of collector, log and store, which are independent of each
 * other, all need it.
 */
package io.millrace.pulse;
