package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.Texts;
import java.util.ArrayList;
import java.util.List;

/** Ids that are too long for their keys, in pieces of eight bytes, preceded by the length. */
final class LongIds {
  private final KeyTable pieces;
  private final long[] key = new long[3];
  private byte[] text = new byte[64];

  LongIds(KeyGroups groups) {
    pieces = new KeyTable(groups, key.length, 1);
  }

  KeyTable table() {
    return pieces;
  }

  void put(int hash, long first, long second, byte[] bytes, int start, int length) {
    key(first, second, 0);
    if (pieces.find(hash, key) >= 0) {
      return;
    }
    set(hash, length);
    for (int i = 0; i < length; i += Long.BYTES) {
      long piece = 0;
      for (int at = i; at < Math.min(length, i + Long.BYTES); at++) {
        piece |= (bytes[start + at] & 0xFFL) << (8 * (at - i));
      }
      key(first, second, 1 + i / Long.BYTES);
      set(hash, piece);
    }
  }

  private void key(long first, long second, int number) {
    key[0] = first;
    key[1] = second;
    key[2] = number;
  }

  private void set(int hash, long value) {
    int entry = pieces.entry(hash, key);
    pieces.values(0)[entry] = value;
  }

  private long get(int hash) {
    return pieces.values(0)[pieces.find(hash, key)];
  }

  void addTo(Texts column, int hash, long first, long second) {
    int length;
    if (!GatewayKey.isLong(second)) {
      length = GatewayKey.shortId(first, second, text);
    } else {
      key(first, second, 0);
      length = (int) get(hash);
      if (text.length < length) {
        text = new byte[length];
      }
      for (int i = 0; i < length; i++) {
        key[2] = 1L + i / Long.BYTES;
        text[i] = (byte) (get(hash) >>> (8 * (i % Long.BYTES)));
      }
    }
    column.add(text, 0, length);
  }

  @FunctionalInterface
  interface Filter {
    boolean test(int hash, long first, long second);
  }

  void retain(Filter kept) {
    List<long[]> others = new ArrayList<>();
    for (int entry = 0; entry < pieces.size(); entry++) {
      int hash = pieces.hash(entry);
      long first = pieces.key(entry, 0);
      long second = pieces.key(entry, 1);
      if (pieces.key(entry, 2) == 0 && !kept.test(hash, first, second)) {
        others.add(new long[] {hash, first, second});
      }
    }
    others.forEach(other -> remove((int) other[0], other[1], other[2]));
  }

  void remove(int hash, long first, long second) {
    key(first, second, 0);
    int entry = pieces.find(hash, key);
    if (entry >= 0) {
      long length = pieces.values(0)[entry];
      pieces.remove(entry);
      for (int number = 1; number <= (length + Long.BYTES - 1) / Long.BYTES; number++) {
        key[2] = number;
        pieces.remove(pieces.find(hash, key));
      }
    }
  }
}
