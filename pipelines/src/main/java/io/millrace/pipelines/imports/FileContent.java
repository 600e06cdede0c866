package io.millrace.pipelines.imports;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** A file that may be compressed with gzip; {@code head} has its first bytes, decompressed. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FileContent(Path path, boolean isGzip, byte[] head) {
  private static final int HEAD = 1 << 16;
  private static final int BUFFER = 1 << 16;

  static FileContent of(Path path) throws IOException {
    boolean isGzip;
    try (InputStream in = Files.newInputStream(path)) {
      isGzip = in.read() == 0x1F && in.read() == 0x8B;
    }
    FileContent content = new FileContent(path, isGzip, new byte[0]);
    try (CountingInput in = content.open()) {
      return new FileContent(path, isGzip, content.plain(in).readNBytes(HEAD));
    }
  }

  CountingInput open() throws IOException {
    return new CountingInput(Files.newInputStream(path));
  }

  InputStream plain(InputStream in) throws IOException {
    return isGzip ? new GZIPInputStream(in, BUFFER) : new BufferedInputStream(in, BUFFER);
  }
}
