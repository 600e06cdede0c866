/**
 * Third-party analyses: a jar with a class that implements {@link
 * io.millrace.analytics.plugin.FlowAnalysis}, named in {@code
 * META-INF/services/io.millrace.analytics.plugin.FlowAnalysis}, receives every flow and fills its
 * own table. A plugin needs this module and {@code wire}, and no engine.
 */
package io.millrace.analytics.plugin;
