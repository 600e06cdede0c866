package io.millrace.traffic.fleet;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordEncoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/**
 * Writer of a file of records: JSON objects on lines, or an Avro object container file with a block
 * for each call; gzipped if the name ends in {@code .gz}. Not thread-safe.
 */
public final class RecordFileWriter implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final OutputStream out;
  private final RecordEncoder encoder;
  private final RecordEncoding encoding;
  private final BlockBuffer bytes = new BlockBuffer(BUFFER_BYTES);
  private final byte[] sync;
  private final int headerLength;
  private boolean isBegun;

  /**
   * Creates a writer that overwrites a file.
   *
   * @param sync 16 bytes that mark the blocks of a container
   */
  public RecordFileWriter(Path file, RecordSchema schema, RecordEncoding encoding, byte[] sync)
      throws IOException {
    encoder = new RecordEncoder(schema);
    this.encoding = encoding;
    this.sync = sync.clone();
    OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES);
    out = file.toString().endsWith(".gz") ? new GZIPOutputStream(plain, BUFFER_BYTES) : plain;
    encoder.container(new TableBlock(schema.columns(), 0), sync, bytes);
    headerLength = bytes.length();
  }

  /** Writes all rows. */
  public void write(TableBlock block) throws IOException {
    bytes.clear();
    if (encoding == RecordEncoding.AVRO) {
      encoder.container(block, sync, bytes);
      int from = isBegun ? headerLength : 0;
      out.write(bytes.bytes(), from, bytes.length() - from);
      isBegun = true;
    } else {
      for (int row = 0; row < block.rows(); row++) {
        encoder.json(block, row, bytes);
        bytes.putByte('\n');
      }
      out.write(bytes.bytes(), 0, bytes.length());
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
