/**
 * A local Flink and Kafka cluster of separate JVMs with Millrace's jar, for trials and fault
 * injection.
 *
 * <p>{@link io.millrace.cluster.ClusterPlan} determines the processes and their arguments, {@link
 * io.millrace.cluster.LocalCluster} starts them and waits until they are ready, and {@link
 * io.millrace.cluster.ClusterDirectory} records them in files, so that another process can query
 * and stop the cluster. A {@link io.millrace.cluster.ClusterProcess} can be killed, frozen and
 * restarted.
 */
package io.millrace.cluster;
