/** Commands for the pipeline {@code quota}. */
package io.millrace.cli.quota;
