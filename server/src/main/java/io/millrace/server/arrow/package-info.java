/**
 * Rows as Arrow: which of its types a type of the store becomes, and how values get into vectors.
 *
 * <p>Both listeners that answer in Arrow use it, so that a query has the same types at either:
 * {@code api} as a stream of bytes, {@code flight} as messages. Batches are small and filled anew
 * again and again; no result is ever in memory as a whole.
 */
package io.millrace.server.arrow;
