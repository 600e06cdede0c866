package io.millrace.wire.sflow;

import static io.millrace.wire.block.CounterColumn.IF_DIRECTION;
import static io.millrace.wire.block.CounterColumn.IF_INDEX;
import static io.millrace.wire.block.CounterColumn.IF_SPEED;
import static io.millrace.wire.block.CounterColumn.IF_STATUS;
import static io.millrace.wire.block.CounterColumn.IF_TYPE;
import static io.millrace.wire.block.CounterColumn.IN_BROADCAST;
import static io.millrace.wire.block.CounterColumn.IN_DISCARDS;
import static io.millrace.wire.block.CounterColumn.IN_ERRORS;
import static io.millrace.wire.block.CounterColumn.IN_MULTICAST;
import static io.millrace.wire.block.CounterColumn.IN_OCTETS;
import static io.millrace.wire.block.CounterColumn.IN_UNICAST;
import static io.millrace.wire.block.CounterColumn.IN_UNKNOWN_PROTOS;
import static io.millrace.wire.block.CounterColumn.OUT_BROADCAST;
import static io.millrace.wire.block.CounterColumn.OUT_DISCARDS;
import static io.millrace.wire.block.CounterColumn.OUT_ERRORS;
import static io.millrace.wire.block.CounterColumn.OUT_MULTICAST;
import static io.millrace.wire.block.CounterColumn.OUT_OCTETS;
import static io.millrace.wire.block.CounterColumn.OUT_UNICAST;
import static io.millrace.wire.block.CounterColumn.PROMISCUOUS;

import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.packet.BigEndian;
import java.util.List;

/** Consecutive fields: 4 bytes for a {@code U32} column, 8 for a {@code U64} column. */
final class InterfaceCounters {
  private static final List<CounterColumn> FIELDS =
      List.of(
          IF_INDEX,
          IF_TYPE,
          IF_SPEED,
          IF_DIRECTION,
          IF_STATUS,
          IN_OCTETS,
          IN_UNICAST,
          IN_MULTICAST,
          IN_BROADCAST,
          IN_DISCARDS,
          IN_ERRORS,
          IN_UNKNOWN_PROTOS,
          OUT_OCTETS,
          OUT_UNICAST,
          OUT_MULTICAST,
          OUT_BROADCAST,
          OUT_DISCARDS,
          OUT_ERRORS,
          PROMISCUOUS);

  private InterfaceCounters() {}

  static void read(byte[] bytes, int at, CounterBlock block, int row) {
    for (int i = 0; i < FIELDS.size(); i++) {
      CounterColumn field = FIELDS.get(i);
      if (field.type().isInt()) {
        block.ints(field)[row] = BigEndian.i32(bytes, at);
        at += 4;
      } else {
        block.longs(field)[row] = BigEndian.i64(bytes, at);
        at += 8;
      }
    }
  }

  static void write(byte[] bytes, int at, CounterBlock block, int row) {
    for (int i = 0; i < FIELDS.size(); i++) {
      CounterColumn field = FIELDS.get(i);
      if (field.type().isInt()) {
        BigEndian.put32(bytes, at, block.ints(field)[row]);
        at += 4;
      } else {
        BigEndian.put64(bytes, at, block.longs(field)[row]);
        at += 8;
      }
    }
  }
}
