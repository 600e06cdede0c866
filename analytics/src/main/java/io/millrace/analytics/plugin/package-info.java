/**
 * Analyses that others bring: a jar with a class that implements {@link
 * io.millrace.analytics.plugin.FlowAnalysis}, named in {@code
 * META-INF/services/io.millrace.analytics.plugin.FlowAnalysis}, gets every flow and fills a table
 * of its own. A plugin needs this module and {@code wire}, and no engine.
 */
package io.millrace.analytics.plugin;
