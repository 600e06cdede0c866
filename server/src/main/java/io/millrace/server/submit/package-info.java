/**
 * Sending pipelines to a standing Flink cluster.
 *
 * <p>{@link io.millrace.server.submit.Submitter} checks everything that can be checked from here
 * before it sends anything: versions, the log, the store, whether the job runs already. {@link
 * io.millrace.server.submit.ClusterPipeline} is what a pipeline adds to be sent; {@link
 * io.millrace.server.submit.ClusterPipelines} lists them.
 */
package io.millrace.server.submit;
