/**
 * Ranges of addresses in memory: {@link io.millrace.datasets.range.RangeLoader} makes of CSV files
 * a {@link io.millrace.datasets.range.HeapRangeTable}.
 *
 * <p>Ranges that do not overlap are a step function from addresses to records, and a look-up is its
 * value at a point. Nearly all steps lie where a /24 of IPv4 or a /64 of IPv6 begins: these are
 * found by {@link io.millrace.datasets.range.SlashTwentyFours} and {@link
 * io.millrace.datasets.range.SlashSixtyFours}; the few inside of such a block by {@link
 * io.millrace.datasets.range.InnerSteps}.
 */
package io.millrace.datasets.range;
