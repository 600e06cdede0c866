package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** decode ∘ encode = identity, wherever the template is sent and wherever the state is restored. */
class NetflowPropertyTest {
  private static final long EXPORT = 1_700_000_000_000_000L;
  private static final int UPTIME = 5_000_000;
  private static final List<FlowColumn> WRITABLE =
      FlowColumn.ALL.stream().filter(NetflowPropertyTest::isWritable).toList();

  private static boolean isWritable(FlowColumn column) {
    return switch (column) {
      case TIME,
          EXPORTER,
          OBSERVATION_DOMAIN,
          OUT_IF_FORMAT,
          SAMPLING_SOURCE,
          TUNNEL,
          TUNNEL_ID,
          AGENT,
          SUB_AGENT ->
          false;
      default -> true;
    };
  }

  @Property(tries = 300)
  void rowsComeBack(@ForAll long seed, @ForAll boolean isIpfix, @ForAll boolean isIpv6) {
    Random random = new Random(seed);
    int version = isIpfix ? 10 : 9;
    List<FlowColumn> columns = new ArrayList<>(WRITABLE);
    Collections.shuffle(columns, random);
    columns = new ArrayList<>(columns.subList(0, 1 + random.nextInt(columns.size())));
    columns.remove(FlowColumn.SRC_ADDR);
    columns.add(FlowColumn.SRC_ADDR);
    columns.remove(FlowColumn.BYTES);
    columns.add(FlowColumn.BYTES); // a record without counters might be a NAT event
    ExportTemplate template = ExportTemplate.of(version, 256, isIpv6, columns);
    FlowBlock rows = rows(random, isIpv6, 1 + random.nextInt(40));
    NetflowEncoder encoder = new NetflowEncoder(version, 1400);
    List<byte[]> messages = new ArrayList<>();
    int templateAt = random.nextInt(4);
    for (int from = 0; from < rows.rows() || messages.size() <= templateAt; ) {
      encoder.begin(1, EXPORT, UPTIME);
      if (messages.size() == templateAt) {
        assertThat(encoder.template(template)).isTrue();
      }
      int room = Math.min(encoder.room(template), rows.rows() - from);
      int n = room == 0 ? 0 : random.nextInt(room + 1);
      if (n > 0) {
        assertThat(encoder.data(template, rows, from, from + n)).isTrue();
      }
      from += n;
      encoder.finish();
      messages.add(encoder.toBytes());
    }
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    FlowBlock out = new FlowBlock(1);
    Counting counting = new Counting();
    for (byte[] message : messages) {
      decoder.decode(message, 0, message.length, 1, 0, 2, 3, out, counting);
      decoder = restored(decoder);
    }
    assertThat(counting.rejects).isEmpty();
    assertThat(counting.lost).isZero();
    assertThat(out.rows()).isEqualTo(rows.rows());
    for (FlowColumn column : columns) {
      for (int row = 0; row < rows.rows(); row++) {
        assertThat(text(out, column, row))
            .as("%s of row %d", column, row)
            .isEqualTo(text(rows, column, row));
      }
    }
  }

  private static NetflowDecoder restored(NetflowDecoder decoder) {
    BlockBuffer state = new BlockBuffer(64);
    decoder.snapshot(state);
    BlockInput in = new BlockInput(state.bytes(), 0, state.length());
    return NetflowDecoder.restore(in, NetflowConfig.DEFAULT);
  }

  private static FlowBlock rows(Random random, boolean isIpv6, int n) {
    FlowBlock b = new FlowBlock(n);
    for (FlowColumn column : WRITABLE) {
      for (int row = 0; row < n; row++) {
        switch (column.type()) {
          case ADDRESS -> {
            b.addressHigh(column)[row] = isIpv6 ? random.nextLong() | 1 : 0;
            b.addressLow(column)[row] =
                isIpv6 ? random.nextLong() : Addresses.v4Low(random.nextInt());
          }
          case MOMENT -> b.longs(column)[row] = EXPORT - random.nextInt(1_000_000) * 1000L;
          case MAC -> b.longs(column)[row] = random.nextLong() >>> 16;
          case U8 -> b.ints(column)[row] = random.nextInt(column == FlowColumn.DIRECTION ? 2 : 100);
          // 0 is not an EtherType, and is replaced by that of IP.
          case U16 ->
              b.ints(column)[row] =
                  column == FlowColumn.ETHER_TYPE
                      ? 1 + random.nextInt((1 << 12) - 1)
                      : random.nextInt(1 << 12);
          case U32 -> b.ints(column)[row] = 1 + random.nextInt(1 << 19);
          default -> b.longs(column)[row] = random.nextLong(FlowBounds.MAX_PACKETS + 1);
        }
      }
    }
    for (int row = 0; row < n; row++) {
      int proto = b.ints(FlowColumn.PROTO)[row];
      if (proto == 1 || proto == 58) {
        b.ints(FlowColumn.DST_PORT)[row] &= 0xFF; // the code of ICMP
      }
    }
    b.rows(n);
    return b;
  }

  private static String text(FlowBlock b, FlowColumn column, int row) {
    if (column.type() == FlowColumn.Type.ADDRESS) {
      return Addresses.toText(b.addressHigh(column)[row], b.addressLow(column)[row]);
    }
    return column.type().isInt()
        ? Integer.toString(b.ints(column)[row])
        : Long.toString(b.longs(column)[row]);
  }
}
