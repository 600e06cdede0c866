package io.millrace.wire.nfdump;

import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;

enum Compression {
  NONE,
  LZO,
  BZIP2,
  LZ4,
  ZSTD;

  void decompress(byte[] in, int length, ByteOutput out) throws IOException {
    out.clear();
    try {
      switch (this) {
        case NONE -> out.write(in, 0, length);
        case LZO -> Lzo.decompress(in, length, out);
        case LZ4 -> Lz4.decompress(in, length, out);
        case BZIP2 ->
            copy(new BZip2CompressorInputStream(new ByteArrayInputStream(in, 0, length)), out);
        case ZSTD -> copy(new ZstdInputStream(new ByteArrayInputStream(in, 0, length)), out);
      }
    } catch (IndexOutOfBoundsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void copy(InputStream from, ByteOutput out) throws IOException {
    byte[] piece = new byte[1 << 15];
    try (from) {
      for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
        out.write(piece, 0, n);
      }
    }
  }
}
