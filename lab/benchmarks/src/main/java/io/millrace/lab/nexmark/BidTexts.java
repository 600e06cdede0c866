package io.millrace.lab.nexmark;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.GroupOrder;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The texts of the bids that {@link TopBids} keeps, by entry and slot.
 *
 * <pre>
 *   0         2     4       6
 *   +---------+-----+-------+---------+-----+-------+
 *   | channel | url | extra | channel | url | extra |     lengths (2 bytes each), then the texts
 *   +---------+-----+-------+---------+-----+-------+
 * </pre>
 *
 * Not thread-safe.
 */
final class BidTexts {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int[] COLUMNS = {Nexmark.BID_CHANNEL, Nexmark.BID_URL, Nexmark.BID_EXTRA};
  private static final int HEADER = COLUMNS.length * Short.BYTES;

  private final KeyGroups groups;
  private final ByteHeap heap = new ByteHeap();

  /** Addresses of the bids' texts; ten slots per entry. */
  private long[] places = new long[16 * TopBids.RANKS];

  BidTexts(KeyGroups groups) {
    this.groups = groups;
  }

  private static int index(int entry, int slot) {
    return entry * TopBids.RANKS + slot;
  }

  private static int lengthAt(byte[] bytes, int offset) {
    int length = HEADER;
    for (int i = 0; i < COLUMNS.length; i++) {
      length += partLength(bytes, offset, i);
    }
    return length;
  }

  private static int partLength(byte[] bytes, int offset, int part) {
    return (short) SHORT.get(bytes, offset + part * Short.BYTES);
  }

  void put(int entry, int slot, TableBlock bids, int row) {
    int length = HEADER;
    for (int column : COLUMNS) {
      length += bids.texts(column).length(row);
    }
    long place = placeFor(entry, slot, length);
    byte[] bytes = heap.chunkToWrite(place);
    int offset = ByteHeap.offset(place);
    int at = offset + HEADER;
    for (int i = 0; i < COLUMNS.length; i++) {
      Texts texts = bids.texts(COLUMNS[i]);
      int part = texts.length(row);
      SHORT.set(bytes, offset + i * Short.BYTES, (short) part);
      System.arraycopy(texts.bytes(), texts.start(row), bytes, at, part);
      at += part;
    }
  }

  private long placeFor(int entry, int slot, int length) {
    if (places.length <= index(entry, slot)) {
      places = Arrays.copyOf(places, Math.max(places.length * 2, index(entry + 1, 0)));
    }
    long place = heap.take(length);
    places[index(entry, slot)] = place;
    return place;
  }

  void remove(int entry, int slot) {
    long place = places[index(entry, slot)];
    heap.free(place, lengthAt(heap.chunk(place), ByteHeap.offset(place)));
  }

  void addTo(Texts channels, Texts urls, Texts extras, int entry, int slot) {
    long place = places[index(entry, slot)];
    byte[] bytes = heap.chunk(place);
    int offset = ByteHeap.offset(place);
    int channel = partLength(bytes, offset, 0);
    int url = partLength(bytes, offset, 1);
    int extra = partLength(bytes, offset, 2);
    int at = offset + HEADER;
    channels.add(bytes, at, channel);
    urls.add(bytes, at + channel, url);
    extras.add(bytes, at + channel + url, extra);
  }

  /** Takes a snapshot, which shares the bytes until they are written to. */
  StateSnapshot snapshot(KeyTable auctions, int countColumn) {
    int[] hashes = new int[auctions.size()];
    for (int entry = 0; entry < hashes.length; entry++) {
      hashes[entry] = auctions.hash(entry);
    }
    return new Snapshot(
        new GroupOrder(groups, hashes),
        Arrays.copyOf(auctions.values(countColumn), hashes.length),
        places.clone(),
        heap.snapshot());
  }

  /** Restores the texts of the entries from {@code first} on, which the table already has. */
  void restore(BlockInput in, KeyTable auctions, int countColumn, int first) {
    for (int entry = first; entry < auctions.size(); entry++) {
      for (int slot = 0; slot < auctions.values(countColumn)[entry]; slot++) {
        int length = in.takeShort();
        int from = in.take(length);
        long place = placeFor(entry, slot, length);
        System.arraycopy(
            in.bytes(), from, heap.chunkToWrite(place), ByteHeap.offset(place), length);
      }
    }
  }

  private static final class Snapshot implements StateSnapshot {
    private final GroupOrder order;
    private final long[] counts;
    private final long[] places;
    private final ByteHeap heap;

    Snapshot(GroupOrder order, long[] counts, long[] places, ByteHeap heap) {
      this.order = order;
      this.counts = counts;
      this.places = places;
      this.heap = heap;
    }

    @Override
    public boolean isEmpty(int group) {
      return order.isEmpty(group);
    }

    @Override
    public void write(int group, BlockBuffer out) {
      for (int entry : order.of(group)) {
        for (int slot = 0; slot < counts[entry]; slot++) {
          long place = places[index(entry, slot)];
          byte[] bytes = heap.chunk(place);
          int offset = ByteHeap.offset(place);
          int length = lengthAt(bytes, offset);
          out.putShort(length);
          out.put(bytes, offset, length);
        }
      }
    }
  }
}
