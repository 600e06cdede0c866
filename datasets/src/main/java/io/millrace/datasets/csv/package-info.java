/**
 * CSV lines as bytes, and their faults.
 *
 * <p>A custom reader serves data sets of a billion lines: unlike CSV libraries it allocates nothing
 * per line or field, and it knows the line number. It supports RFC 4180 and nothing else.
 */
package io.millrace.datasets.csv;
