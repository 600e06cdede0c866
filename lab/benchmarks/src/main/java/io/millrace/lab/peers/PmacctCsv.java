package io.millrace.lab.peers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Sum of the packets, one per sample, in the CSV file to which pmacct's print plugin appends. Each
 * call continues after the last complete line, since pmacct may be writing. Not thread-safe.
 */
final class PmacctCsv {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final String COLUMN = "PACKETS";

  private final Path file;
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private long position;
  private int column = -1;
  private long sum;

  PmacctCsv(Path file) {
    this.file = file;
  }

  /** The sum so far; 0 before the file exists. Header lines may repeat. */
  long packets() throws IOException {
    if (!Files.exists(file)) {
      return sum;
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(position);
      int kept = 0;
      for (int n = in.read(chunk); n > 0; n = in.read(chunk, kept, CHUNK_BYTES - kept)) {
        int end = kept + n;
        int used = lines(end);
        position += used;
        kept = end - used;
        System.arraycopy(chunk, used, chunk, 0, kept);
      }
    }
    return sum;
  }

  /** Adds up the complete lines before {@code end} in the chunk, and returns their length. */
  private int lines(int end) {
    int from = 0;
    for (int i = 0; i < end; i++) {
      if (chunk[i] == '\n') {
        line(new String(chunk, from, i - from, StandardCharsets.US_ASCII).split(",", -1));
        from = i + 1;
      }
    }
    return from;
  }

  private void line(String[] values) {
    int heading = Arrays.asList(values).indexOf(COLUMN);
    if (heading >= 0) {
      column = heading;
    } else if (column >= 0 && column < values.length) {
      sum += Long.parseLong(values[column]);
    }
  }
}
