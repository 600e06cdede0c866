/**
 * Wiring of the process: {@link io.millrace.server.runtime.Millrace} wires the components; {@link
 * io.millrace.server.runtime.MillraceConfig} is the root of the configuration file.
 */
package io.millrace.server.runtime;
