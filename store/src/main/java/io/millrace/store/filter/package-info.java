/**
 * Filter language: a condition on flows in SQL or nfdump syntax, the same on the command line, in
 * the API and in the console.
 *
 * <p>{@link io.millrace.store.filter.FilterParser} parses text to a {@link
 * io.millrace.store.filter.Filter}, {@link io.millrace.store.filter.FilterPrinter} prints it again.
 * Both know columns ({@link io.millrace.store.filter.FilterColumns}) and names of ports and
 * protocols ({@link io.millrace.store.filter.Vocabulary}), and are independent of the database; the
 * translation of a condition belongs to the database's package.
 */
package io.millrace.store.filter;
