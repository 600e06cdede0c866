/**
 * Hosting of {@link io.millrace.analytics.Analyzer analyzers}: {@link
 * io.millrace.engine.operator.Analyzers} adds one to a job.
 */
package io.millrace.engine.operator;
