/**
 * The data sets that are declared, as they travel with a job, and those that are open in this JVM.
 */
package io.millrace.pipelines.datasets;
