/** Pipelines in the jars of a directory ({@link io.millrace.pipelines.plugins.PluginDirectory}). */
package io.millrace.pipelines.plugins;
