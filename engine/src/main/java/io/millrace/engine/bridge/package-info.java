/**
 * Copies external topics into the log: {@link io.millrace.engine.bridge.TopicBridge}.
 *
 * <p>Messages are kept unchanged, in batches that carry the source's partition and offset. The
 * bridge writes them at least once and in order; readers of the log drop duplicates, so each
 * message becomes rows once.
 */
package io.millrace.engine.bridge;
