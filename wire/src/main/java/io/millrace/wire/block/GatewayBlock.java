package io.millrace.wire.block;

import java.util.Arrays;

/**
 * Records of gateways as columns: who, when, bytes sent and received, and what these numbers count.
 *
 * <p>A decoder adds a row for each good record, in the order in which they came, and says where its
 * bytes were, so that they can be handed on as they are. Not thread-safe.
 */
public final class GatewayBlock implements Selectable<GatewayBlock> {
  /** The kind of these blocks. */
  public static final BlockFamily<GatewayBlock> FAMILY =
      new BlockFamily<>(
          4, "gateway-block", GatewayBlock.class, GatewayBlock::write, GatewayBlock::read);

  /** Place of a row that was not read from bytes which can be handed on. */
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

  /** An empty block with room for {@code capacity} rows before it has to grow. */
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
   * @param micros when the record was made, microseconds since the epoch
   * @param sent bytes, or bytes a second
   * @param received bytes, or bytes a second
   * @param formCode what the numbers count: {@link io.millrace.wire.gateway.GatewayForm#code()}
   * @param start where the record's own bytes start; {@link #NOWHERE} if nobody may use them
   * @param end where they end, exclusive
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

  /** When each record was made, microseconds since the epoch. */
  public long[] time() {
    return time;
  }

  /** Bytes sent, or bytes a second; not negative. */
  public long[] tx() {
    return tx;
  }

  /** Bytes received, or bytes a second; not negative. */
  public long[] rx() {
    return rx;
  }

  /** What the numbers count, as codes of {@link io.millrace.wire.gateway.GatewayForm}. */
  public byte[] form() {
    return form;
  }

  /** Where a row's bytes start in what it was decoded from; {@link #NOWHERE} if not to be used. */
  public int sourceStart(int row) {
    return sourceStart[row];
  }

  /** Where a row's bytes end, exclusive. */
  public int sourceEnd(int row) {
    return sourceEnd[row];
  }

  /** When the rows arrived at the server, microseconds since the epoch; 0 where nobody said. */
  public long arrival() {
    return arrival;
  }

  /** Says when the rows arrived. */
  public void arrival(long micros) {
    arrival = micros;
  }

  /** Forgets the rows and keeps the memory. */
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
   * The block's bytes behind the header of {@link BlockCodec}, version 1; the places of the rows'
   * own bytes are not among them.
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

  /** Reads what {@link #write} wrote; memory is taken only for rows that bytes prove. */
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
