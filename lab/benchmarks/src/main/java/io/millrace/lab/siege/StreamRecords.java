package io.millrace.lab.siege;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/**
 * Records of a declared stream, a different kind each round: unknown subscribers near the end of
 * their quota, so that state keeps them; the same dated years ahead; 72 MB of gzipped blanks; and
 * undeclared streams.
 */
final class StreamRecords implements Attack {
  private static final int RECORDS = 5_000; // per request
  private static final int UNPACKED_BYTES = 72_000_000;
  private static final long YEARS_MILLIS = 20L * 365 * 24 * 3_600_000;
  private static final double PER_SECOND = 8;
  private static final String PATH = "/ingest/usage";
  private static final String LINES = "Content-Type: application/x-ndjson\r\n";

  private final byte[] blanks = blanks();
  private SplittableRandom random;
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    if (random == null) {
      random = new SplittableRandom(from.target().seed());
    }
    String token = from.target().relayToken();
    from.ask(
        from.target().ingest(),
        switch (turn++ % 4) {
          case 0 -> Requests.records(token, PATH, LINES, records(0));
          case 1 -> Requests.records(token, PATH, LINES, records(YEARS_MILLIS));
          case 2 -> Requests.records(token, PATH, LINES + "Content-Encoding: gzip\r\n", blanks);
          default -> Requests.records(token, "/ingest/none-" + random.nextInt(), LINES, records(0));
        });
    from.pace(PER_SECOND);
  }

  private byte[] records(long aheadMillis) {
    StringBuilder lines = new StringBuilder(RECORDS * 80);
    long time = System.currentTimeMillis() + aheadMillis;
    for (int i = 0; i < RECORDS; i++) {
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"time\":%d,\"msisdn\":%d,\"quota_limit\":100,\"quota_used\":95}%n",
              time,
              random.nextLong(1, 999_999_999_999_999L)));
    }
    return lines.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] blanks() {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(" ".repeat(UNPACKED_BYTES).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new IllegalStateException(e); // impossible for an array
    }
    return packed.toByteArray();
  }
}
