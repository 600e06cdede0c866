package io.millrace.server.runtime;

import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.pipelines.DeadLetters;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.sflow.Discards;
import io.millrace.wire.sflow.SflowDecoder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Lists the newest dead letters with their bytes and reasons. Datagrams are decoded again to find
 * the reason.
 */
record DeadLetterList(String bootstrapServers) {
  private static final int MAX_BYTES = 2_048;

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  List<Map<String, Object>> newest(int n) {
    Deque<Map<String, Object>> letters = new ArrayDeque<>();
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, DeadLetters.TOPIC)) {
      Frontier end = offsets.end();
      Frontier from = new Frontier(Map.of(0, Math.max(0, end.next(0) - n)));
      LogReader.read(
          bootstrapServers,
          DeadLetters.TOPIC,
          from,
          end,
          TIMEOUT,
          (partition, offset, timeMillis, key, value) -> {
            for (Map<String, Object> letter : letters(value, timeMillis)) {
              letters.addFirst(letter);
              if (letters.size() > n) {
                letters.removeLast();
              }
            }
            return true;
          });
    }
    return List.copyOf(letters);
  }

  private static List<Map<String, Object>> letters(byte[] value, long timeMillis) {
    RawBatch batch = RawBatch.wrap(value, 0, 0);
    List<Map<String, Object>> letters = new ArrayList<>();
    if (!batch.isSound() || batch.isMessages() || batch.isValues()) {
      letters.add(letter(Instant.ofEpochMilli(timeMillis), null, null, value, 0, value.length));
      return letters;
    }
    int cursor = batch.first();
    for (int left = batch.rows(); left > 0; left--, cursor = batch.next(cursor)) {
      Map<String, Object> letter =
          letter(
              Instant.EPOCH.plus(batch.time(cursor), ChronoUnit.MICROS),
              Addresses.toText(batch.senderHigh(cursor), batch.senderLow(cursor)),
              batch.senderPort(cursor),
              value,
              batch.payload(cursor),
              batch.payloadLength(cursor));
      decode(batch, cursor, letter);
      letters.add(letter);
    }
    return letters;
  }

  private static Map<String, Object> letter(
      Instant time, String sender, Integer port, byte[] bytes, int at, int length) {
    Map<String, Object> letter = new LinkedHashMap<>();
    letter.put("time", time.toString());
    letter.put("sender", sender);
    letter.put("port", port);
    letter.put("protocol", null);
    letter.put("faults", List.of());
    letter.put("length", length);
    letter.put("hex", HexFormat.of().formatHex(bytes, at, at + Math.min(length, MAX_BYTES)));
    return letter;
  }

  private static void decode(RawBatch batch, int cursor, Map<String, Object> letter) {
    byte[] bytes = batch.bytes();
    int at = batch.payload(cursor);
    int length = batch.payloadLength(cursor);
    List<Map<String, Object>> faults = new ArrayList<>();
    Observations notes =
        (reason, offset) -> {
          if (reason.malformed()) {
            faults.add(Map.of("reason", reason.label(), "offset", offset));
          }
        };
    ExportProtocol protocol = new DatagramHead().read(bytes, at, length);
    letter.put("protocol", protocol.name().toLowerCase(Locale.ROOT));
    letter.put("faults", faults);
    long time = batch.time(cursor);
    long high = batch.senderHigh(cursor);
    long low = batch.senderLow(cursor);
    FlowBlock rows = new FlowBlock(16);
    try {
      switch (protocol) {
        case SFLOW ->
            new SflowDecoder()
                .decode(
                    bytes,
                    at,
                    length,
                    time,
                    high,
                    low,
                    rows,
                    new CounterBlock(16),
                    new TableBlock(Discards.SCHEMA, 16),
                    notes,
                    NameSink.NONE);
        case NETFLOW5, NETFLOW9, IPFIX ->
            new NetflowDecoder(NetflowConfig.DEFAULT)
                .decode(bytes, at, length, time, high, low, batch.senderPort(cursor), rows, notes);
        default -> notes.reject(RejectReason.UNKNOWN_PROTOCOL, 0);
      }
    } catch (RuntimeException e) { // the job failed on this datagram too
      faults.add(Map.of("reason", RejectReason.DECODER_FAILED.label(), "offset", 0));
    }
  }
}
