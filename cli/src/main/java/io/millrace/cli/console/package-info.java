/**
 * What commands share: the terminal, progress, errors in one line, what an instance is started
 * with.
 */
package io.millrace.cli.console;
