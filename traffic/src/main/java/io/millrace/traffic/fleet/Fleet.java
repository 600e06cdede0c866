package io.millrace.traffic.fleet;

import io.millrace.traffic.model.SplitMix;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * Generator of gateways' records: about one per minute, 20 to 100 seconds apart, with a rate per
 * gateway that follows the time of day, and with losses, delays and duplicates. Records are in the
 * order of arrival.
 *
 * <p>Generated minute by minute: each gateway has one record per minute, so each minute is sorted
 * separately, and only late records are carried over. The state of a gateway is its last record, 32
 * bytes. All random choices are hashes of seed, gateway and minute. Not thread-safe.
 */
public final class Fleet {
  private static final long MINUTE_MILLIS = 60_000;
  private static final long DAY_MILLIS = 86_400_000;
  private static final int SPREAD_MILLIS = 40_000;
  private static final long MAX_DELAY_MILLIS = 240_000;
  private static final long MICROS = 1_000;
  private static final double BASE_BYTES_PER_SECOND = 2_000;
  private static final double MAX_BYTES_PER_SECOND = 5e6;
  private static final double RECEIVED_TO_SENT = 8;
  private static final double RESET_BYTES = 5_000;

  /** {@code gw-} and seven digits. */
  private static final int ID_LENGTH = 10;

  /** Salts that make the random choices independent. */
  private static final int MOMENT = 1;

  private static final int MISSING = 2;
  private static final int LATE = 3;
  private static final int TWICE = 4;
  private static final int RESET = 5;
  private static final int SILENT = 6;
  private static final int SIZE = 7;
  private static final int NOISE = 8;
  private static final int DELAY = 9;

  private final FleetConfig config;
  private final long startMillis;
  private final long[] lastMillis;
  private final long[] lastTx;
  private final long[] lastRx;
  private final long[] order;
  private final PriorityQueue<DelayedRecord> delayed = new PriorityQueue<>();
  private final byte[] id = new byte[ID_LENGTH];
  private int minute;
  private int place;

  private record DelayedRecord(long at, long number, int gateway, long millis, long tx, long rx)
      implements Comparable<DelayedRecord> {
    @Override
    public int compareTo(DelayedRecord other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private long delays;

  /** Creates the gateways, before their first record. */
  public Fleet(FleetConfig config) {
    this.config = config;
    startMillis = config.start().toEpochMilli();
    lastMillis = new long[config.gateways()];
    lastTx = new long[config.gateways()];
    lastRx = new long[config.gateways()];
    order = new long[config.gateways()];
    sortMinute();
  }

  /**
   * Adds the next records to a block of {@link GatewayRecords}, up to {@code rows} rows.
   *
   * @return false if the configured duration is over and nothing was added
   */
  public boolean fill(TableBlock block, int rows) {
    int before = block.rows();
    while (block.rows() < rows) {
      if (place == order.length) {
        minute++;
        if (minute < config.minutes()) {
          sortMinute();
          continue;
        }
        if (delayed.isEmpty()) {
          return block.rows() > before;
        }
        emit(block, delayed.poll());
        continue;
      }
      long millis = startMillis + minute * MINUTE_MILLIS + (order[place] >>> Integer.SIZE);
      if (!delayed.isEmpty() && delayed.peek().at() <= millis) {
        emit(block, delayed.poll());
      } else {
        record(block, (int) order[place++], millis);
      }
    }
    return true;
  }

  private void sortMinute() {
    for (int gateway = 0; gateway < order.length; gateway++) {
      long moment = (long) (chance(gateway, minute, MOMENT) * SPREAD_MILLIS);
      order[gateway] = moment << Integer.SIZE | gateway;
    }
    Arrays.sort(order);
    place = 0;
  }

  private void record(TableBlock block, int gateway, long millis) {
    long day = Math.floorDiv(millis, DAY_MILLIS);
    if (chance(gateway, day, SILENT) < config.silentDays()
        || chance(gateway, minute, MISSING) < config.missing()) {
      return;
    }
    long gap = lastMillis[gateway] == 0 ? MINUTE_MILLIS : millis - lastMillis[gateway];
    double rate = rate(gateway, millis);
    long tx = (long) (rate * gap / 1_000);
    long rx = (long) (rate * RECEIVED_TO_SENT * gap / 1_000);
    lastMillis[gateway] = millis;
    if (config.form() == GatewayForm.RATE) {
      tx = (long) rate;
      rx = (long) (rate * RECEIVED_TO_SENT);
    } else if (config.form() == GatewayForm.CUMULATIVE) {
      if (chance(gateway, minute, RESET) < config.resets()) {
        lastTx[gateway] = (long) (chance(gateway, minute, NOISE) * RESET_BYTES);
        lastRx[gateway] = (long) (chance(gateway, minute, DELAY) * RESET_BYTES);
      } else {
        lastTx[gateway] = (lastTx[gateway] + tx) % config.wrapAt();
        lastRx[gateway] = (lastRx[gateway] + rx) % config.wrapAt();
      }
      tx = lastTx[gateway];
      rx = lastRx[gateway];
    }
    send(block, gateway, millis, tx, rx);
  }

  private void send(TableBlock block, int gateway, long millis, long tx, long rx) {
    long delay = 1 + (long) (chance(gateway, minute, DELAY) * MAX_DELAY_MILLIS);
    if (chance(gateway, minute, LATE) < config.late()) {
      delayed.add(new DelayedRecord(millis + delay, delays++, gateway, millis, tx, rx));
    } else {
      add(block, gateway, millis, tx, rx);
      if (chance(gateway, minute, TWICE) < config.twice()) {
        delayed.add(new DelayedRecord(millis + delay, delays++, gateway, millis, tx, rx));
      }
    }
  }

  private void emit(TableBlock block, DelayedRecord record) {
    add(block, record.gateway(), record.millis(), record.tx(), record.rx());
  }

  private void add(TableBlock block, int gateway, long millis, long tx, long rx) {
    writeId(gateway);
    GatewayRecords.add(block, id, millis * MICROS, tx, rx, config.form());
  }

  private void writeId(int gateway) {
    id[0] = 'g';
    id[1] = 'w';
    id[2] = '-';
    int left = gateway;
    for (int i = ID_LENGTH - 1; i > 2; i--) {
      id[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  /** Rate of a gateway, by a power law: few gateways have high rates. */
  private double rate(int gateway, long millis) {
    double size = Math.pow(chance(gateway, 0, SIZE) + 1e-4, -0.6);
    double hour = (millis % DAY_MILLIS) * 24.0 / DAY_MILLIS;
    double rhythm = 1 + 0.8 * Math.sin((hour - 14) * Math.PI / 12);
    double noise = 0.5 + chance(gateway, minute, NOISE);
    return Math.min(MAX_BYTES_PER_SECOND, BASE_BYTES_PER_SECOND * size * rhythm * noise);
  }

  private double chance(int gateway, long when, int what) {
    long z = config.seed() * 0x9E3779B97F4A7C15L + gateway;
    z = SplitMix.mix(z) + when;
    z = SplitMix.mix(z) + what;
    return (SplitMix.mix(z) >>> 11) * 0x1p-53;
  }
}
