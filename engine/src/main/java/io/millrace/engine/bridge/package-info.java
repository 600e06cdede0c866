/**
 * Topics of others on their way into the log: {@link io.millrace.engine.bridge.TopicBridge}.
 *
 * <p>Messages are kept as they came, in batches that say from which partition and offset each is.
 * The bridge writes them at least once and in order; who reads the log leaves out what it has read
 * before, so each becomes rows once.
 */
package io.millrace.engine.bridge;
