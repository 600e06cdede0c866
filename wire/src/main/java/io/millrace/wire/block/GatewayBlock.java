package io.millrace.wire.block;

import java.util.Arrays;

/**
 * Records of gateways as columns: gateway, time, bytes sent and received, and the form of these
 * numbers.
 *
 * <p>A decoder adds a row for each valid record, in input order, with the position of its bytes, so
 * that they can be forwarded unchanged. Not thread-safe.
 */
public final class GatewayBlock implements Selectable<GatewayBlock> {
  /** Family of these blocks. */
  public static final BlockFamily<GatewayBlock> FAMILY =
      new BlockFamily<>(
          4, "gateway-block", GatewayBlock.class, GatewayBlock::write, GatewayBlock::read);

  /** Position of a row without bytes that can be forwarded. */
  public static final int NOWHERE = -1;

  private final Texts gateways;
  private long[] time;
  private long[] tx;
  private long[] rx;
  private byte[] form;
  private int[] sourceStart;
  private int[] sourceEnd;
  private long arrival;
  private int rows;

  /** An empty block with a capacity of {@code capacity} rows, which grows. */
  public GatewayBlock(int capacity) {
    gateways = new Texts(capacity);
    time = new long[capacity];
    tx = new long[capacity];
    rx = new long[capacity];
    form = new byte[capacity];
    sourceStart = new int[capacity];
    sourceEnd = new int[capacity];
  }

  @Override
  public int rows() {
    return rows;
  }

  /**
   * Adds a row.
   *
   * @param id holds the gateway's id in UTF-8
   * @param idStart where it starts
   * @param idLength its length in bytes
   * @param micros time of the record, microseconds since the epoch
   * @param sent bytes, or bytes per second
   * @param received bytes, or bytes per second
   * @param formCode form of the numbers: {@link io.millrace.wire.gateway.GatewayForm#code()}
   * @param start start of the record's bytes; {@link #NOWHERE} if they cannot be forwarded
   * @param end end of the record's bytes, exclusive
   */
  public void add(
      byte[] id,
      int idStart,
      int idLength,
      long micros,
      long sent,
      long received,
      int formCode,
      int start,
      int end) {
    if (rows == time.length) {
      grow();
    }
    int row = rows++;
    gateways.add(id, idStart, idLength);
    time[row] = micros;
    tx[row] = sent;
    rx[row] = received;
    form[row] = (byte) formCode;
    sourceStart[row] = start;
    sourceEnd[row] = end;
  }

  private void grow() {
    int capacity = Math.max(16, rows * 2);
    time = Arrays.copyOf(time, capacity);
    tx = Arrays.copyOf(tx, capacity);
    rx = Arrays.copyOf(rx, capacity);
    form = Arrays.copyOf(form, capacity);
    sourceStart = Arrays.copyOf(sourceStart, capacity);
    sourceEnd = Arrays.copyOf(sourceEnd, capacity);
  }

  /** The gateways' ids. */
  public Texts gateways() {
    return gateways;
  }

  /** Time of each record, microseconds since the epoch. */
  public long[] time() {
    return time;
  }

  /** Bytes sent, or bytes per second; not negative. */
  public long[] tx() {
    return tx;
  }

  /** Bytes received, or bytes per second; not negative. */
  public long[] rx() {
    return rx;
  }

  /** Form of the numbers, as codes of {@link io.millrace.wire.gateway.GatewayForm}. */
  public byte[] form() {
    return form;
  }

  /** Start of a row's bytes in the decoded input; {@link #NOWHERE} if they cannot be forwarded. */
  public int sourceStart(int row) {
    return sourceStart[row];
  }

  /** End of a row's bytes, exclusive. */
  public int sourceEnd(int row) {
    return sourceEnd[row];
  }

  /** Arrival of the rows at the server, microseconds since the epoch; 0 if unknown. */
  public long arrival() {
    return arrival;
  }

  /** Sets the arrival of the rows. */
  public void arrival(long micros) {
    arrival = micros;
  }

  /** Clears the rows and keeps the memory. */
  public void clear() {
    rows = 0;
    gateways.clear();
    arrival = 0;
  }

  @Override
  public GatewayBlock select(int[] selected, int count) {
    GatewayBlock block = new GatewayBlock(count);
    block.arrival = arrival;
    for (int i = 0; i < count; i++) {
      block.gateways.add(gateways, selected[i]);
      block.form[i] = form[selected[i]];
    }
    Gather.longs(time, selected, count, block.time);
    Gather.longs(tx, selected, count, block.tx);
    Gather.longs(rx, selected, count, block.rx);
    Gather.ints(sourceStart, selected, count, block.sourceStart);
    Gather.ints(sourceEnd, selected, count, block.sourceEnd);
    block.rows = count;
    return block;
  }

  /**
   * Writes the block after the header of {@link BlockCodec}, version 1, without the positions of
   * the rows' bytes.
   *
   * <pre>
   *   0       4         12
   *   +-------+---------+-------+------+------+------+------+
   *   | rows  | arrival | forms | time |  tx  |  rx  | ids  |
   *   +-------+---------+-------+------+------+------+------+
   *                      a byte a row, three planes, texts
   * </pre>
   */
  private void write(BlockBuffer out) {
    out.putInt(rows);
    out.putLong(arrival);
    out.put(form, 0, rows);
    Plane.write(out, time, rows, 0);
    Plane.write(out, tx, rows, 0);
    Plane.write(out, rx, rows, 0);
    gateways.write(out);
  }

  private static GatewayBlock read(BlockInput in) {
    int rows = in.takeInt();
    long arrival = in.takeLong();
    if (rows < 0 || rows > in.remaining()) {
      throw in.broken(Integer.toUnsignedString(rows) + " rows in " + in.remaining() + " bytes");
    }
    GatewayBlock block = new GatewayBlock(rows);
    block.arrival = arrival;
    System.arraycopy(in.bytes(), in.take(rows), block.form, 0, rows);
    Plane.read(in, block.time, rows);
    Plane.read(in, block.tx, rows);
    Plane.read(in, block.rx, rows);
    block.gateways.read(in, rows);
    if (in.remaining() != 0) {
      throw in.broken(in.remaining() + " bytes left over");
    }
    Arrays.fill(block.sourceStart, NOWHERE);
    Arrays.fill(block.sourceEnd, NOWHERE);
    block.rows = rows;
    return block;
  }
}
