/**
 * The log: what the wire said, kept in Kafka and readable again from any offset.
 *
 * <p>{@link io.millrace.engine.log.EmbeddedLog} is a broker inside this JVM, {@link
 * io.millrace.engine.log.RemoteLog} a cluster elsewhere; both are a {@link
 * io.millrace.engine.log.LogCluster}. {@link io.millrace.engine.log.LogTopics} makes topics, {@link
 * io.millrace.engine.log.LogWriter} appends without ever blocking, {@link
 * io.millrace.engine.log.LogReader} and {@link io.millrace.engine.log.LogOffsets} answer the small
 * questions; the stream job reads through {@link io.millrace.engine.source}.
 */
package io.millrace.engine.log;
