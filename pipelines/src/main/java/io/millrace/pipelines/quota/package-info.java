/** Policy and charging control: who is told that a quota runs out, as a pipeline. */
package io.millrace.pipelines.quota;
