/**
 * What a store is told about rollups: sums that are kept while rows come in, by minute, by five
 * minutes and by hour, for sets of columns.
 *
 * <p>{@link io.millrace.store.rollup.RollupConfig} is the configuration, {@link
 * io.millrace.store.rollup.RollupSet} the columns that are grouped by, {@link
 * io.millrace.store.rollup.Grain} the lengths of a bucket. How a store keeps the sums is its own
 * affair; docs/rollups.md is the contract.
 */
package io.millrace.store.rollup;
