/**
 * Algorithms over columns, independent of an engine: a step of a pipeline ({@link
 * io.millrace.analytics.Analyzer}) and the receiver of its results ({@link
 * io.millrace.analytics.Emitter}).
 */
package io.millrace.analytics;
