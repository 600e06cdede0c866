/**
 * The filter language: one condition on flows, written as in SQL or as in nfdump, the same on the
 * command line, in the API and in the dashboard.
 *
 * <p>{@link io.millrace.store.filter.FilterParser} makes a {@link io.millrace.store.filter.Filter}
 * of text, {@link io.millrace.store.filter.FilterPrinter} text of that again. Both know columns
 * ({@link io.millrace.store.filter.FilterColumns}) and names of ports and protocols ({@link
 * io.millrace.store.filter.Vocabulary}), and nothing of any database: what a condition becomes
 * there stands with the database.
 */
package io.millrace.store.filter;
