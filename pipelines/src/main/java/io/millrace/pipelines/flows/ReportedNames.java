package io.millrace.pipelines.flows;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Output;
import io.millrace.store.DeviceNames;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.KeyHash;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reported names of interfaces and other things, as rows of {@link DeviceNames}: devices repeat
 * them constantly; a name becomes a row only if it is new or changed, and once an hour.
 *
 * <p>Known names are stored as hashes. A sender (an IPv4 address or an IPv6 /64) may have {@value
 * #MAX_OF_ONE}; further ones are rejected and counted. Beyond {@value #MAX} in total, the least
 * recently active sender is evicted, and its names become rows again. A device may send names and
 * descriptions in different tables, so an empty text does not replace an earlier one of the {@value
 * #MAX_TEXTS} most recent keys. Not part of a job's state: after a restart, each name becomes a row
 * again. Not thread-safe.
 */
final class ReportedNames implements NameSink {
  static final Output<TableBlock> ROWS = Output.ofTable("device-names");

  static final String REJECTED = "names.rejected";

  private static final int MAX_OF_ONE = 16_384;
  private static final int MAX = 1 << 18;
  private static final int MAX_TEXTS = 1 << 15;
  private static final long HOUR_MICROS = 3_600_000_000L;

  /** By sender: hash of the named thing → hash of its name. */
  private final Map<Long, Map<Long, Long>> reported = new LinkedHashMap<>(16, 0.75f, true);

  /** Names and descriptions of the most recent keys, which a device may send separately. */
  private final Map<Long, String[]> texts =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, String[]> eldest) {
          return size() > MAX_TEXTS;
        }
      };

  private TableBlock rows = new TableBlock(DeviceNames.SCHEMA, 16);
  private AnalyzerContext.Counter rejected = n -> {};
  private int size;
  private long high;
  private long low;
  private long micros;

  void counting(AnalyzerContext.Counter counter) {
    rejected = counter;
  }

  void begin(long exporterHigh, long exporterLow, long arrivalMicros) {
    high = exporterHigh;
    low = exporterLow;
    micros = arrivalMicros;
  }

  @Override
  public void name(NameKind kind, long number, String name, String description) {
    String[] known = {name, description};
    if (kind == NameKind.INTERFACE || kind == NameKind.APPLICATION) {
      long key = hash(KeyHash.of(new long[] {high, low, number}, 0, 3), kind.word());
      known = texts.merge(key, known, ReportedNames::completed);
    }
    add(kind.word(), number, known[0], known[1], TableBlock.NULL);
  }

  private static String[] completed(String[] before, String[] now) {
    return new String[] {
      now[0].isEmpty() ? before[0] : now[0], now[1].isEmpty() ? before[1] : now[1]
    };
  }

  void speeds(CounterBlock counters) {
    for (int row = 0; row < counters.rows(); row++) {
      long speed = counters.longs(CounterColumn.IF_SPEED)[row];
      if (speed > 0) {
        begin(
            counters.addressHigh(CounterColumn.EXPORTER)[row],
            counters.addressLow(CounterColumn.EXPORTER)[row],
            counters.longs(CounterColumn.TIME)[row]);
        long number = Integer.toUnsignedLong(counters.ints(CounterColumn.IF_INDEX)[row]);
        add(DeviceNames.SPEED, number, "", "", speed);
      }
    }
  }

  private void add(String kind, long number, String name, String description, long speed) {
    if (!isNews(hash(KeyHash.of(low, number), kind), value(name, description, speed))) {
      return;
    }
    rows.reserve(1);
    int row = rows.rows();
    rows.longs(0)[row] = micros;
    rows.addressHigh(1)[row] = high;
    rows.addressLow(1)[row] = low;
    rows.texts(2).add(kind);
    rows.longs(3)[row] = number;
    rows.texts(4).add(name.isEmpty() ? null : name);
    rows.texts(5).add(description.isEmpty() ? null : description);
    rows.longs(6)[row] = speed;
    rows.rows(row + 1);
  }

  private long value(String name, String description, long speed) {
    long hour = Math.floorDiv(micros, HOUR_MICROS);
    return hash(hash(KeyHash.of(speed, hour), name), description);
  }

  private static long hash(long before, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return KeyHash.with(before, KeyHash.of(bytes, 0, bytes.length));
  }

  private boolean isNews(long key, long value) {
    long sender = KeyHash.of(high, Addresses.senderLow(high, low));
    Map<Long, Long> its = reported.computeIfAbsent(sender, any -> new HashMap<>());
    Long before = its.get(key);
    if (before == null && its.size() >= MAX_OF_ONE) {
      rejected.add(1);
      return false;
    }
    its.put(key, value);
    if (before == null && ++size > MAX) {
      Iterator<Map<Long, Long>> silent = reported.values().iterator();
      size -= silent.next().size(); // never the current sender, which is the most recently active
      silent.remove();
    }
    return before == null || before != value;
  }

  /** Returns the rows since the last call; null if there are none. */
  TableBlock take() {
    if (rows.rows() == 0) {
      return null;
    }
    TableBlock taken = rows;
    rows = new TableBlock(DeviceNames.SCHEMA, 16);
    return taken;
  }
}
