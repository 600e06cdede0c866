package io.millrace.lab.nexmark;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.BlockJob;
import io.millrace.wire.block.TableBlock;

/** What is done with the events, as steps of a job. */
enum NexmarkQuery {
  /** Nothing: what the events themselves cost. */
  GENERATOR {
    @Override
    BlockJob<TableBlock> addTo(BlockJob<TableBlock> events) {
      return events;
    }
  },

  /** Bids joined with a bounded table, all in one thread a slot. */
  Q13 {
    @Override
    BlockJob<TableBlock> addTo(BlockJob<TableBlock> events) {
      return bids(events)
          .analyze(
              "q13",
              BlockTypeInfo.TABLES,
              subtask -> new BoundedSideJoin(BoundedSideJoin.sideInput()));
    }
  },

  /** The ten highest bids of each auction, dealt out by auction first. */
  Q19 {
    @Override
    BlockJob<TableBlock> addTo(BlockJob<TableBlock> events) {
      return BlockJob.analyzeKeyed(
          bids(events), TopBids.KEYS, "q19", BlockTypeInfo.TABLES, subtask -> new TopBids());
    }
  };

  /** Adds the steps; gives the job whose last step emits the results. */
  abstract BlockJob<TableBlock> addTo(BlockJob<TableBlock> events);

  /** The view {@code bid} of the public benchmark: all events go through it. */
  private static BlockJob<TableBlock> bids(BlockJob<TableBlock> events) {
    return events.analyze("bids", BlockTypeInfo.TABLES, subtask -> new Bids());
  }

  private static final class Bids implements Analyzer<TableBlock, TableBlock> {
    @Override
    public void process(TableBlock block, Emitter<TableBlock> out) {
      if (block.schema().equals(Nexmark.BID)) {
        out.emit(block);
      }
    }
  }
}
