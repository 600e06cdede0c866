package io.millrace.server.runtime;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordBatch;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed sequence of gateway records in all three forms, about two minutes apart, some out of
 * order, over several midnights, with their totals.
 */
final class GatewaySender {
  private static final String TOPIC = new GatewaysPipeline().topics().get(0);
  private static final int GATEWAYS = 48;
  private static final long START = Instant.parse("2026-03-01T20:00:00Z").toEpochMilli();
  private static final long DAY = 86_400_000;
  private static final long STEP = 120_000;
  private static final int BATCH = 96;

  /** A record as an object. */
  private record SentRecord(String gateway, GatewayForm form, long millis, long tx, long rx) {}

  private final String servers;

  GatewaySender(String servers) {
    this.servers = servers;
  }

  /** The record with a number. */
  private static SentRecord record(long number) {
    int gateway = (int) (number % GATEWAYS);
    long turn = number / GATEWAYS;
    long at = turn % 7 == 3 ? turn + 1 : turn % 7 == 4 ? turn - 1 : turn; // two change places
    GatewayForm form = GatewayForm.of(1 + gateway % 3);
    long millis = START + at * STEP + (at * 7_919 + gateway * 104_729L) % 60_000;
    long growth = 1_000 + gateway * 10L;
    boolean isRunning = form == GatewayForm.CUMULATIVE;
    return new SentRecord(
        "gateway-" + gateway + (gateway % 5 == 0 ? "-with-a-long-name" : ""),
        form,
        millis,
        isRunning ? at * growth : growth + at % 100,
        isRunning ? at * growth * 9 % 4_294_967_296L : growth * 2 + at % 17);
  }

  /** Sends records; returns when they are logged. */
  void send(long from, long to) {
    try (LogWriter writer = new LogWriter(servers, TOPIC, LogConfig.defaults())) {
      for (long first = from; first < to; first += BATCH) {
        sendBatch(writer, first, Math.min(to, first + BATCH));
      }
      writer.flush();
      if (writer.counts().acknowledgedRows() != to - from) {
        throw new IllegalStateException("the log has not taken all: " + writer.lastFailure());
      }
    }
  }

  /** Writes one value per partition. */
  private static void sendBatch(LogWriter log, long from, long to) {
    for (int partition = 0; partition < log.partitions(); partition++) {
      TableBlock records = GatewayRecords.block(0);
      for (long number = from; number < to; number++) {
        SentRecord sent = record(number);
        byte[] id = sent.gateway.getBytes(StandardCharsets.UTF_8);
        if (KafkaPartitions.of(id, 0, id.length, log.partitions()) == partition) {
          GatewayRecords.add(records, id, sent.millis * 1_000, sent.tx, sent.rx, sent.form);
        }
      }
      byte[] value =
          new RecordBatch.Writer()
              .write(records, GatewayRecords.TIME, System.currentTimeMillis() * 1_000);
      while (records.rows() > 0 && !log.offer(partition, value, records.rows(), null)) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /**
   * Expected rows of {@code gateway_days} for the records before a number, with or without
   * duplicates: day, gateway, tx, rx, seconds, records.
   */
  static List<String> expected(long to) {
    Map<String, TreeMap<Long, SentRecord>> series = new HashMap<>();
    for (long number = 0; number < to; number++) {
      SentRecord sent = record(number);
      series.computeIfAbsent(sent.gateway, none -> new TreeMap<>()).put(sent.millis, sent);
    }
    TreeMap<String, long[]> days = new TreeMap<>();
    series.values().forEach(sorted -> addUp(sorted, days));
    List<String> rows = new ArrayList<>();
    days.forEach(
        (key, v) -> rows.add(key + " " + v[0] + " " + v[1] + " " + v[2] / 1e3 + " " + v[3]));
    return rows;
  }

  private static void addUp(Map<Long, SentRecord> sorted, Map<String, long[]> days) {
    SentRecord before = null;
    for (SentRecord now : sorted.values()) {
      day(now, now.millis, days)[3]++;
      if (before == null) {
        if (now.form == GatewayForm.COUNTER) {
          day(now, now.millis, days)[0] += now.tx;
          day(now, now.millis, days)[1] += now.rx;
        }
      } else {
        long gap = now.millis - before.millis;
        long tx = amount(now.form, gap, before.tx, now.tx);
        long rx = amount(now.form, gap, before.rx, now.rx);
        long midnight = Math.floorDiv(now.millis, DAY) * DAY;
        long elapsed = Math.max(0, midnight - before.millis);
        long[] yesterday = day(now, before.millis, days);
        long[] today = day(now, now.millis, days);
        yesterday[0] += part(tx, elapsed, gap);
        yesterday[1] += part(rx, elapsed, gap);
        yesterday[2] += elapsed;
        today[0] += tx - part(tx, elapsed, gap);
        today[1] += rx - part(rx, elapsed, gap);
        today[2] += gap - elapsed;
      }
      before = now;
    }
  }

  private static long[] day(SentRecord sent, long millis, Map<String, long[]> days) {
    String day = Instant.ofEpochMilli(millis).toString().substring(0, 10);
    return days.computeIfAbsent(day + " " + sent.gateway, none -> new long[4]);
  }

  private static long amount(GatewayForm form, long gap, long before, long now) {
    return switch (form) {
      case COUNTER -> now;
      case RATE -> now * gap / 1_000;
      case CUMULATIVE -> Math.floorMod(now - before, 4_294_967_296L);
    };
  }

  private static long part(long amount, long elapsed, long gap) {
    return BigInteger.valueOf(amount)
        .multiply(BigInteger.valueOf(elapsed))
        .divide(BigInteger.valueOf(gap))
        .longValueExact();
  }
}
