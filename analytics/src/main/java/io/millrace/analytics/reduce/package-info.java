/**
 * Partial results of parallel analyzers made into fewer: {@link
 * io.millrace.analytics.reduce.Combiner} adds up what several of them gave for the same window and
 * key, and can keep the greatest alone.
 */
package io.millrace.analytics.reduce;
