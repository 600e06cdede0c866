/**
 * Rows in Arrow: mapping of types and values.
 *
 * <p>Shared by {@code api}, which streams bytes, and {@code flight}, which sends messages, so that
 * a query has the same types in both. Batches are small and reused; no result is held in memory as
 * a whole.
 */
package io.millrace.server.arrow;
