package io.millrace.bench.nexmark;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import org.apache.flink.streaming.api.datastream.DataStream;

/** What is done with the events, as steps of a job. */
enum NexmarkQuery {
  /** Nothing: what the events themselves cost. */
  GENERATOR {
    @Override
    DataStream<TableBlock> addTo(DataStream<TableBlock> events, int parallelism) {
      return events;
    }
  },

  /** Bids joined with a bounded table, all in one thread a slot. */
  Q13 {
    @Override
    DataStream<TableBlock> addTo(DataStream<TableBlock> events, int parallelism) {
      return Analyzers.analyze(
          bids(events),
          "q13",
          BlockTypeInfo.TABLES,
          parallelism,
          subtask -> new BoundedSideJoin(BoundedSideJoin.sideInput()));
    }
  },

  /** The ten highest bids of each auction, dealt out by auction first. */
  Q19 {
    @Override
    DataStream<TableBlock> addTo(DataStream<TableBlock> events, int parallelism) {
      return Analyzers.analyzeKeyed(
          bids(events),
          TopBids.KEYS,
          "q19",
          BlockTypeInfo.TABLES,
          parallelism,
          subtask -> new TopBids());
    }
  };

  /** Adds the steps; gives the stream of results. */
  abstract DataStream<TableBlock> addTo(DataStream<TableBlock> events, int parallelism);

  /** The view {@code bid} of the public benchmark: all events go through it. */
  private static DataStream<TableBlock> bids(DataStream<TableBlock> events) {
    TableSchema bid = Nexmark.BID;
    return events
        .filter(block -> block.schema().equals(bid))
        .setParallelism(events.getParallelism())
        .name("bids")
        .uid("bids");
  }
}
