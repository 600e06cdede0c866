/**
 * What lives beside the thread that asks: the parts of a process, each with its sign of life
 * ({@link io.millrace.pulse.Pulse}), the processes that it has started ({@link
 * io.millrace.pulse.ChildProcess}), and ports for these ({@link io.millrace.pulse.FreePort});
 * directories that go with all that is in them ({@link io.millrace.pulse.DirectoryTree}); and the
 * units of time that people write ({@link io.millrace.pulse.TimeUnits}); the locale and time zone
 * of all processes ({@link io.millrace.pulse.HostDefaults}), and the machine's name ({@link
 * io.millrace.pulse.LocalHost}). A module of its own, since collector, log and store, which do not
 * know each other, all have such parts.
 */
package io.millrace.pulse;
