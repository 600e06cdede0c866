/** Protection of calls from messaging traffic, as a pipeline. */
package io.millrace.pipelines.voice;
