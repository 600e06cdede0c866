/**
 * A local Flink and Kafka cluster of separate JVMs with Millrace's jar, for trials and fault
 * injection.
 *
 * <p>{@link io.millrace.cluster.ClusterPlan} decides what is started and with which arguments,
 * {@link io.millrace.cluster.LocalCluster} starts it and waits, {@link
 * io.millrace.cluster.ClusterDirectory} remembers it in files, so that another process can ask and
 * stop. A {@link io.millrace.cluster.ClusterProcess} can be killed, frozen and started again.
 */
package io.millrace.cluster;
