/**
 * Submission of pipelines to a Flink cluster.
 *
 * <p>{@link io.millrace.server.submit.Submitter} checks versions, log, store and running jobs
 * before it uploads a jar.
 */
package io.millrace.server.submit;
