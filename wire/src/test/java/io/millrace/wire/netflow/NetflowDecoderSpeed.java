package io.millrace.wire.netflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.List;
import java.util.Random;

/**
 * Prints the number of records that one thread decodes per second: messages of 20 records of 20
 * fields, from memory into a reused block. Not a test: run its main with the version as argument.
 */
final class NetflowDecoderSpeed {
  private static final int MESSAGES = 512;
  private static final int RECORDS = 20;
  private static final int ROUNDS = 10;
  private static final long ROUND_NANOS = 300_000_000L;
  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.NEXT_HOP,
          FlowColumn.IN_IF,
          FlowColumn.OUT_IF,
          FlowColumn.PACKETS,
          FlowColumn.BYTES,
          FlowColumn.FLOW_START,
          FlowColumn.FLOW_END,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.TCP_FLAGS,
          FlowColumn.PROTO,
          FlowColumn.TOS,
          FlowColumn.EXPORTER_SRC_AS,
          FlowColumn.EXPORTER_DST_AS,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.SRC_VLAN,
          FlowColumn.DIRECTION);

  private NetflowDecoderSpeed() {}

  public static void main(String[] args) {
    int version = args.length == 0 ? 10 : Integer.parseInt(args[0]);
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    byte[][] messages = messages(version);
    FlowBlock block = new FlowBlock(4096);
    for (int round = 0; round < ROUNDS; round++) {
      long records = 0;
      long start = System.nanoTime();
      long now = start;
      while (now - start < ROUND_NANOS) {
        for (int i = 0; i < messages.length; i++) {
          if (i % 64 == 0) {
            records += block.rows();
            block.clear();
          }
          byte[] m = messages[i];
          decoder.decode(m, 0, m.length, i, 0, 1, 2, block, Observations.NONE);
        }
        now = System.nanoTime();
      }
      System.out.printf("%.2f M records/s%n", records * 1e3 / (now - start));
    }
  }

  private static byte[][] messages(int version) {
    Random random = new Random(1);
    FlowBlock rows = new FlowBlock(RECORDS);
    for (FlowColumn column : COLUMNS) {
      for (int row = 0; row < RECORDS; row++) {
        if (column.type() == FlowColumn.Type.ADDRESS) {
          rows.addressLow(column)[row] = Addresses.v4Low(random.nextInt());
        } else if (column.type().isInt()) {
          rows.ints(column)[row] = random.nextInt(200);
        } else {
          rows.longs(column)[row] = 1_700_000_000_000_000L - random.nextInt(60_000) * 1000L;
        }
      }
    }
    rows.rows(RECORDS);
    ExportTemplate template = ExportTemplate.of(version, 256, false, COLUMNS);
    NetflowEncoder encoder = new NetflowEncoder(version, 2000);
    byte[][] messages = new byte[MESSAGES][];
    for (int i = 0; i < MESSAGES; i++) {
      encoder.begin(1, 1_700_000_000_000_000L, 100_000_000);
      if (i == 0) {
        encoder.template(template);
      }
      if (!encoder.data(template, rows, 0, RECORDS)) {
        throw new IllegalStateException("no room");
      }
      encoder.finish();
      messages[i] = encoder.toBytes();
    }
    return messages;
  }
}
