package org.example.subscriber;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.EventRows;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** Joins flows with the login of their source address that was the newest at their time. */
final class SubscriberJoin implements TwoInputAnalyzer<TableBlock, FlowBlock, TableBlock> {
  static final TableSchema JOINED =
      TableSchema.builder().time("time").number("subscriber").number("bytes").build();

  static final RowKeys<TableBlock> BY_LOGIN =
      (logins, hashes) -> {
        for (int row = 0; row < logins.rows(); row++) {
          long[] address = address(logins, row);
          hashes[row] = Hash.of(address[0], address[1]);
        }
      };
  static final RowKeys<FlowBlock> BY_SOURCE =
      (flows, hashes) -> {
        long[] high = flows.addressHigh(FlowColumn.SRC_ADDR);
        long[] low = flows.addressLow(FlowColumn.SRC_ADDR);
        for (int row = 0; row < flows.rows(); row++) {
          hashes[row] = Hash.of(high[row], low[row]);
        }
      };

  private AnalyzerContext context;
  private AnalyzerContext.Counter late;
  private EventRows waiting; // 0 and 1 for logins and flows, address, subscriber or bytes
  private KeyTable subscribers; // address → subscriber

  /** Zeros for a text that is no address: nobody sends from there. */
  private static long[] address(TableBlock logins, int row) {
    long[] address = new long[2];
    var unused = Addresses.parse(logins.texts(1).get(row), address);
    return address;
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    late = context.counter("late");
    waiting = new EventRows(context.keyGroups(), 4);
    subscribers = new KeyTable(context.keyGroups(), 2, 1);
  }

  @Override
  public void processFirst(TableBlock logins, Emitter<TableBlock> out) {
    for (int row = 0; row < logins.rows(); row++) {
      long[] address = address(logins, row);
      await(logins.longs(0)[row], 0, address[0], address[1], logins.longs(2)[row]);
    }
  }

  @Override
  public void processSecond(FlowBlock flows, Emitter<TableBlock> out) {
    long[] high = flows.addressHigh(FlowColumn.SRC_ADDR);
    long[] low = flows.addressLow(FlowColumn.SRC_ADDR);
    for (int row = 0; row < flows.rows(); row++) {
      long rate = Math.max(1, flows.ints(FlowColumn.SAMPLING_RATE)[row]);
      long bytes = flows.longs(FlowColumn.BYTES)[row] * rate;
      await(flows.longs(FlowColumn.TIME)[row], 1, high[row], low[row], bytes);
    }
  }

  /** Rows leave in the order of their times, in whatever order the inputs are read. */
  private void await(long time, int input, long high, long low, long value) {
    if (time <= context.currentWatermark()) {
      late.add(1);
    } else {
      waiting.add(time, Hash.of(high, low), input, high, low, value);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    TableBlock joined = new TableBlock(JOINED, 16);
    waiting.fire(
        micros,
        (time, hash, row) -> {
          int entry = subscribers.entry(hash, row[1], row[2]);
          if (row[0] == 0) {
            subscribers.values(0)[entry] = row[3];
          } else if (subscribers.values(0)[entry] > 0) {
            joined.reserve(1);
            joined.longs(0)[joined.rows()] = time;
            joined.longs(1)[joined.rows()] = subscribers.values(0)[entry];
            joined.longs(2)[joined.rows()] = row[3];
            joined.rows(joined.rows() + 1);
          }
          if (subscribers.values(0)[entry] == 0) {
            subscribers.remove(entry); // nobody has the address
          }
        });
    if (joined.rows() > 0) {
      out.emit(joined);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(waiting.snapshot(), subscribers.snapshot());
  }

  @Override
  public void restore(int group, BlockInput in) {
    waiting.restore(in);
    subscribers.restore(in);
  }
}
