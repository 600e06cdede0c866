/** Policy and charging control: signals for quotas that run out, as a pipeline. */
package io.millrace.pipelines.quota;
