/**
 * Lines of CSV as bytes, and what can be wrong with them.
 *
 * <p>The reader is our own because a data set of a billion lines is read through it: it makes no
 * object for a line or a field, which no library for CSV does, and knows in which line of which
 * file it is. It reads what RFC 4180 describes, and nothing cleverer.
 */
package io.millrace.datasets.csv;
