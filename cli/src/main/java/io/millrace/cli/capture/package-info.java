/** Commands on captures: {@code decode} prints what is in them, {@code send} sends it on. */
package io.millrace.cli.capture;
