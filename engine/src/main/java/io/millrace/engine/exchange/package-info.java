/**
 * Transfer of blocks between threads and machines: one Flink record is one block, serialised in one
 * piece ({@link io.millrace.engine.exchange.BlockTypeInfo}), and blocks are distributed so that a
 * busy partition uses all cores ({@link io.millrace.engine.exchange.BlockScatter}).
 */
package io.millrace.engine.exchange;
