/**
 * Plugins: found in the jars of a directory ({@link
 * io.millrace.pipelines.plugins.PluginDirectory}), described to a job that travels as bytes, and
 * found again where the job runs ({@link io.millrace.pipelines.plugins.PluginCall}).
 */
package io.millrace.pipelines.plugins;
