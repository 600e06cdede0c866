package io.millrace.store.iceberg;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.duckdb.sums.StretchSums;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.store.duckdb.sums.SumsCodec;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What has become of a stretch that another process wrote: the length of a list of files (4), the
 * list in JSON, and its sums as {@link SumsCodec} has them, or nothing.
 *
 * @param sums null if there are none
 */
record StretchReport(List<StoredFile> files, StretchSums sums) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<List<StoredFile>> FILES = new TypeReference<>() {};

  /**
   * Appends a report.
   *
   * @param plan of the sums, if there are some
   */
  void write(SumPlan plan, BlockBuffer out) {
    try {
      byte[] list = JSON.writeValueAsBytes(files);
      out.putInt(list.length);
      out.put(list, 0, list.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (sums != null) {
      SumsCodec.write(plan, sums, out);
    }
  }

  /**
   * Reads a report.
   *
   * @throws io.millrace.wire.block.BlockFormatException if it is malformed
   */
  static StretchReport read(BlockInput in, SealedSums sums) {
    int length = in.takeInt();
    int start = in.take(length);
    List<StoredFile> files;
    try {
      files = JSON.readValue(in.bytes(), start, length, FILES);
    } catch (IOException e) {
      throw in.broken("no list of files: " + e.getMessage());
    }
    return new StretchReport(files, in.remaining() == 0 ? null : sums.read(in));
  }

  /**
   * Checks that the files are where a table has its files, and are there as a whole.
   *
   * @param data folder of the table's files
   */
  void check(Path data) {
    for (StoredFile file : files) {
      Path path = Path.of(file.path());
      if (!path.equals(StretchFiles.path(data, file.hour(), path.getFileName().toString()))) {
        throw new StoreException(path + " is not in the folder of files " + data, null);
      }
      try {
        long bytes = Files.size(path);
        if (bytes != file.bytes()) {
          throw new StoreException(
              "%s has %d bytes here, and %d where it was written"
                  .formatted(path, bytes, file.bytes()),
              null);
        }
      } catch (IOException e) {
        throw new StoreException("cannot find a file that a sink has written: " + e, e);
      }
    }
  }

  void deleteFiles() {
    files.forEach(file -> StretchWriter.deleteQuietly(Path.of(file.path())));
  }
}
