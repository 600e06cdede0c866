package io.millrace.datasets.keyvalue;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Lookup;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.NewNames;

/**
 * A thread's lookups in a file, in three rounds: hot keys, filter, keys. Each round processes the
 * addresses that the previous one did not resolve. Cache misses within a round are independent, so
 * they overlap.
 */
final class KeyValueLookup implements Lookup {
  private final KeyIndex keys;
  private final HotKeys hot;
  private final TextBlocks.Reader names;
  private final DomainOf domainOf;
  private final TextBlocks.Reader domains;
  private int[] open = new int[0];
  private int[] v4Addresses = new int[0];
  private int[] v4Records = new int[0];

  /** The last two arguments are null if domains are not needed. */
  KeyValueLookup(
      KeyIndex keys,
      HotKeys hot,
      TextBlocks.Reader names,
      DomainOf domainOf,
      TextBlocks.Reader domains) {
    this.keys = keys;
    this.hot = hot;
    this.names = names;
    this.domainOf = domainOf;
    this.domains = domains;
  }

  @Override
  public void lookup(long[] high, long[] low, int rows, int[] out) {
    if (open.length < rows) {
      // The last group of lanes uses all of its slots.
      int capacity = (rows + KeyIndex.LANES - 1) / KeyIndex.LANES * KeyIndex.LANES;
      open = new int[capacity];
      v4Addresses = new int[capacity];
      v4Records = new int[capacity];
    }
    final int[] open = this.open;
    int left = 0;
    for (int i = 0; i < rows; i++) {
      long h = high[i];
      long l = low[i];
      int record = Addresses.isV4(h, l) ? hot.findV4((int) l) : hot.findV6(h, l);
      out[i] = record;
      open[left] = i;
      left += record == HotKeys.NOT_KEPT ? 1 : 0;
    }
    int maybe = 0;
    for (int n = 0; n < left; n++) {
      int i = open[n];
      if (keys.mayContain(high[i], low[i])) {
        open[maybe++] = i;
      } else {
        put(high[i], low[i], out, i, Dataset.UNKNOWN);
      }
    }
    int v4 = 0;
    for (int n = 0; n < maybe; n++) {
      int i = open[n];
      long h = high[i];
      long l = low[i];
      if (Addresses.isV4(h, l)) {
        open[v4] = i;
        v4Addresses[v4++] = (int) l;
      } else {
        put(h, l, out, i, keys.findV6(h, l));
      }
    }
    for (int n = 0; n < v4; n += KeyIndex.LANES) {
      keys.findV4(v4Addresses, n, v4Records);
    }
    for (int n = 0; n < v4; n++) {
      int i = open[n];
      put(high[i], low[i], out, i, v4Records[n]);
    }
  }

  private void put(long high, long low, int[] out, int i, int record) {
    out[i] = record;
    if (Addresses.isV4(high, low)) {
      hot.putV4((int) low, record);
    } else {
      hot.putV6(high, low, record);
    }
  }

  @Override
  public void values(int field, int[] from, int rows, int[] values) {
    if (field > 0) {
      domainOf.ordinals(from, rows, values);
    } else if (from != values) {
      System.arraycopy(from, 0, values, 0, rows);
    }
  }

  @Override
  public void text(int field, int ordinal, long id, NewNames out) {
    TextBlocks.Reader texts = field == 0 ? names : domains;
    int length = texts.read(ordinal);
    out.add(id, texts.bytes(), 0, length);
  }
}
