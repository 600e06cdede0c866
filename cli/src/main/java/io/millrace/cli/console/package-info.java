/**
 * Shared infrastructure of commands: terminal, progress, one-line errors, options of an instance.
 */
package io.millrace.cli.console;
