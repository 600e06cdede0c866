package io.millrace.lab.nexmark;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.BlockJob;
import io.millrace.wire.block.TableBlock;

/** A query, as steps of a job. */
enum NexmarkQuery {
  /** No query, which gives the cost of the events alone. */
  GENERATOR {
    @Override
    BlockJob<TableBlock> addTo(BlockJob<TableBlock> events) {
      return events;
    }
  },

  /** Bids joined with a bounded table, in one thread per slot. */
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

  /** The ten highest bids of each auction, keyed by auction. */
  Q19 {
    @Override
    BlockJob<TableBlock> addTo(BlockJob<TableBlock> events) {
      return BlockJob.analyzeKeyed(
          bids(events), TopBids.KEYS, "q19", BlockTypeInfo.TABLES, subtask -> new TopBids());
    }
  };

  /** Adds the steps and returns the job whose last step emits the results. */
  abstract BlockJob<TableBlock> addTo(BlockJob<TableBlock> events);

  /** The view {@code bid} of the public benchmark, a filter of all events. */
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
