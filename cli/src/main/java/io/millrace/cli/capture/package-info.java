/** Commands on captures: {@code decode} prints them, {@code send} sends them. */
package io.millrace.cli.capture;
