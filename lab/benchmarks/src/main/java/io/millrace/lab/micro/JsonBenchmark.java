package io.millrace.lab.micro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.analytics.ads.AdRecords;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.ads.AdTrace;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;

/**
 * Parses three of the seven fields of JSON advertisement events, one event per value: with the
 * product's scanner, which also writes them to a block, and with Jackson's streaming parser, whose
 * fields are only read.
 */
public final class JsonBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final int EVENTS = 4_096;
  private static final int PASSES = 100;
  private static final int ROUNDS = 7;
  private static final long START_MILLIS = 1_772_323_200_000L;
  private static final int EVENTS_A_SECOND = 1_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final long UUID_LENGTH = 36;

  private static final JsonFactory JACKSON = new JsonFactory();

  public JsonBenchmark() {
    super(
        "wire.json",
        "events in JSON to columns, compared with Jackson's streaming parser, one thread");
  }

  @Override
  public void run(BenchContext context) {
    AdTrace trace = new AdTrace(START_MILLIS, EVENTS_A_SECOND, false, false, 1);
    List<byte[]> events = Stream.generate(trace::next).limit(EVENTS).toList();

    TableBlock block = new TableBlock(AdRecords.EVENTS.columns(), EVENTS);
    RecordErrors errors = new RecordErrors();
    RecordDecoder decoder = new RecordDecoder(AdRecords.EVENTS);
    int rounds = rowsOption.rounds(ROUNDS);
    double own =
        BenchContext.rate(
            rounds,
            PASSES,
            EVENTS,
            pass -> {
              block.clear();
              for (byte[] event : events) {
                decoder.decode(
                    RecordEncoding.JSON,
                    event,
                    0,
                    event.length,
                    RecordAttributes.NONE,
                    block,
                    errors,
                    event.length);
              }
            });

    Fields fields = new Fields();
    double jackson =
        BenchContext.rate(
            rounds,
            PASSES,
            EVENTS,
            pass -> {
              fields.clear();
              for (byte[] event : events) {
                fields.read(event);
              }
            });

    int time = block.schema().indexOf("event_time");
    WrongResultException.check("events", EVENTS, block.rows());
    WrongResultException.check(
        "times",
        Arrays.stream(block.longs(time), 0, EVENTS).sum(),
        fields.millis * MICROS_PER_MILLI);
    WrongResultException.check("views", views(block), fields.views);
    WrongResultException.check("ads", UUID_LENGTH * EVENTS, fields.adCharacters);
    report(context, own, "own", rounds);
    report(context, jackson, "jackson", rounds);
    context.report(Figure.of(name(), "ratio", own / jackson, "of Jackson's"));
  }

  private static long views(TableBlock block) {
    int kind = block.schema().indexOf("event_type");
    long views = 0;
    for (int row = 0; row < block.rows(); row++) {
      views += "view".equals(block.text(row, kind)) ? 1 : 0;
    }
    return views;
  }

  private void report(BenchContext context, double rate, String parser, int rounds) {
    context.report(
        Figure.of(name(), "rate", rate, "events").with("parser", parser).with("rounds", rounds));
  }

  /** Sums of the fields that Jackson parses. */
  private static final class Fields {
    long millis;
    long views;
    long adCharacters;

    void clear() {
      millis = 0;
      views = 0;
      adCharacters = 0;
    }

    void read(byte[] event) {
      try (JsonParser json = JACKSON.createParser(event)) {
        while (json.nextToken() != null) {
          if (json.currentToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            take(name, json);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void take(String name, JsonParser json) throws IOException {
      switch (name) {
        case "ad_id" -> adCharacters += json.getText().length();
        case "event_type" -> views += json.getText().equals("view") ? 1 : 0;
        case "event_time" -> millis += Long.parseLong(json.getText());
        default -> json.skipChildren();
      }
    }
  }
}
