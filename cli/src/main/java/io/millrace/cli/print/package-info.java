/**
 * Rows on standard output: {@link io.millrace.cli.print.RowPrinter} and its formats, which {@code
 * decode}, {@code sql} and {@code top} share.
 */
package io.millrace.cli.print;
