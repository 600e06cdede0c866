/**
 * Settings of rollups: sums by minute, five minutes, hour and day for sets of columns, maintained
 * while rows arrive.
 *
 * <p>{@link io.millrace.store.rollup.RollupConfig} is the configuration, {@link
 * io.millrace.store.rollup.RollupSet} the grouping columns, {@link io.millrace.store.rollup.Grain}
 * the bucket lengths. Each store implements them; docs/rollups.md is the contract.
 */
package io.millrace.store.rollup;
