/**
 * Test harness for analyzers, including plugins': {@link
 * io.millrace.analytics.testing.AnalyzerTester}. Needs no test framework.
 */
package io.millrace.analytics.testing;
