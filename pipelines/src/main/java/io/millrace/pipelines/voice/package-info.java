/** Calls that are protected from messaging traffic, as a pipeline. */
package io.millrace.pipelines.voice;
