/**
 * How blocks move between threads and machines: one Flink record is one block, written as one
 * stretch of bytes ({@link io.millrace.engine.exchange.BlockTypeInfo}), and blocks are dealt out so
 * that no core is left alone with a busy partition ({@link
 * io.millrace.engine.exchange.BlockScatter}).
 */
package io.millrace.engine.exchange;
