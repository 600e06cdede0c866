/**
 * The log: received data, kept in Kafka and readable again from any offset.
 *
 * <p>{@link io.millrace.engine.log.EmbeddedLog} is a broker inside this JVM, {@link
 * io.millrace.engine.log.RemoteLog} an external cluster; both are a {@link
 * io.millrace.engine.log.LogCluster}. {@link io.millrace.engine.log.LogTopics} creates topics,
 * {@link io.millrace.engine.log.LogWriter} appends without blocking, {@link
 * io.millrace.engine.log.LogReader} and {@link io.millrace.engine.log.LogOffsets} are for short
 * reads; the stream job reads through {@link io.millrace.engine.source}.
 */
package io.millrace.engine.log;
