/**
 * Sending pipelines to a standing Flink cluster.
 *
 * <p>{@link io.millrace.server.submit.Submitter} checks everything that can be checked from here
 * before it sends anything: versions, the log, the store, whether the job runs already.
 */
package io.millrace.server.submit;
