/**
 * For tests of analyzers, yours among them: {@link io.millrace.analytics.testing.AnalyzerTester}.
 * Needs no test framework.
 */
package io.millrace.analytics.testing;
