/**
 * Algorithms over columns, with no engine in them: what a step of a pipeline is ({@link
 * io.millrace.analytics.Analyzer}) and where its results go ({@link
 * io.millrace.analytics.Emitter}).
 */
package io.millrace.analytics;
