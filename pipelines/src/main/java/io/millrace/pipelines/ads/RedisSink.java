package io.millrace.pipelines.ads;

import io.millrace.analytics.ads.AdRecords;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.sink.BlockSink;
import java.net.URI;

/**
 * Redis sink of the stream job. Counts are absolute and only increase, and Redis ignores a count
 * that is not greater than its own ({@link AdRedis}). So duplicate writes after a failure and
 * writes of zombie subtasks are harmless, and nothing is rolled back.
 */
final class RedisSink implements BlockSink<TableBlock, Long> {
  private static final long MICROS = 1_000;

  private final AdRedis redis;
  private final AdRedis.Counts counts;

  RedisSink(URI server) {
    redis = new AdRedis(server);
    counts = redis.counts();
  }

  @Override
  public void rewind(long token, Long covered) {}

  @Override
  public void begin(long token, long checkpoint) {}

  @Override
  public void append(TableBlock block) {
    long[] starts = block.longs(AdRecords.WINDOW);
    long[] views = block.longs(AdRecords.VIEWS);
    Texts campaigns = block.texts(AdRecords.CAMPAIGN);
    for (int row = 0; row < block.rows(); row++) {
      counts.add(campaigns.get(row), starts[row] / MICROS, views[row]);
    }
  }

  @Override
  public void flush() {
    counts.send();
  }

  @Override
  public void close() {
    redis.close();
  }
}
