package io.millrace.engine.operator;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.engine.exchange.KeyedExchange;
import io.millrace.wire.block.Selectable;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A stream whose rows are distributed by key.
 *
 * @param blocks the stream
 * @param keys of its rows; equal keys of two inputs of one step have equal hashes
 * @param <B> the kind of block
 */
public record KeyedInput<B extends Selectable<B>>(DataStream<B> blocks, RowKeys<B> keys) {
  DataStream<B> scattered(String uid) {
    return KeyedExchange.scatter(blocks, keys, uid);
  }
}
