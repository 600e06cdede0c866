/**
 * Transfer of blocks between threads and machines: one Flink record is one block, serialised in one
 * piece ({@link io.millrace.engine.exchange.BlockTypeInfo}), distributed so that one busy partition
 * can use all cores ({@link io.millrace.engine.exchange.BlockScatter}).
 */
package io.millrace.engine.exchange;
