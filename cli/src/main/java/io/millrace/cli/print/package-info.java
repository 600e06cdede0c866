/**
 * Output of rows: {@link io.millrace.cli.print.RowPrinter} and its formats, shared by {@code
 * decode}, {@code sql} and {@code top}.
 */
package io.millrace.cli.print;
