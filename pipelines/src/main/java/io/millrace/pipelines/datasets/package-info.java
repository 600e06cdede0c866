/** Declared data sets, serialised with a job, and the open ones of this JVM. */
package io.millrace.pipelines.datasets;
