/**
 * Address ranges in memory: {@link io.millrace.datasets.range.RangeLoader} reads CSV files into a
 * {@link io.millrace.datasets.range.HeapRangeTable}.
 *
 * <p>Disjoint ranges are a step function from addresses to records, and a lookup evaluates it.
 * Nearly all steps are at the start of a /24 of IPv4 or a /64 of IPv6: these are found by {@link
 * io.millrace.datasets.range.SlashTwentyFours} and {@link
 * io.millrace.datasets.range.SlashSixtyFours}; the few inside such a block by {@link
 * io.millrace.datasets.range.InnerSteps}.
 */
package io.millrace.datasets.range;
