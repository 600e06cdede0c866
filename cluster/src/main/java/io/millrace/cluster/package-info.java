/**
 * A Flink and Kafka cluster on this machine, made of separate JVMs that run our own jar: for trying
 * what a cluster does, and for failing it on purpose.
 *
 * <p>{@link io.millrace.cluster.ClusterPlan} decides what is started and with which arguments,
 * {@link io.millrace.cluster.LocalCluster} starts it and waits, {@link
 * io.millrace.cluster.ClusterDirectory} remembers it in files, so that another process can ask and
 * stop. A {@link io.millrace.cluster.ClusterProcess} can be killed, frozen and started again.
 */
package io.millrace.cluster;
