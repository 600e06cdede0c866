/**
 * One process that is all of Millrace: {@link io.millrace.server.runtime.Millrace} wires the
 * components, and reads top to bottom; {@link io.millrace.server.runtime.MillraceConfig} is the
 * root of the configuration file.
 */
package io.millrace.server.runtime;
