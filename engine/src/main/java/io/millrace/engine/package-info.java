/**
 * Moves blocks from the log (Kafka, in this JVM or external) through the stream engine (Flink) into
 * a store that can be rewound. Only this module and {@code pipelines} depend on Flink, and only
 * this one on Kafka; it depends on no store.
 *
 * <p>{@link io.millrace.engine.log} holds the values, {@link io.millrace.engine.source} reads them,
 * {@link io.millrace.engine.exchange} moves blocks between threads and machines, {@link
 * io.millrace.engine.operator} processes them, {@link io.millrace.engine.sink} stores them exactly
 * once, and {@link io.millrace.engine.job} runs all of it inside this process.
 */
package io.millrace.engine;
