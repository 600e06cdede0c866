/**
 * How the engine hosts an {@link io.millrace.analytics.Analyzer}: {@link
 * io.millrace.engine.operator.Analyzers} puts one into a job.
 */
package io.millrace.engine.operator;
