/**
 * Reduction of parallel analyzers' partial results: {@link io.millrace.analytics.reduce.Combiner}
 * adds up rows of the same window and key, and can select the greatest.
 */
package io.millrace.analytics.reduce;
