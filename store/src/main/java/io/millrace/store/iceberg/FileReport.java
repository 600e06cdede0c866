package io.millrace.store.iceberg;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.sums.BufferSums;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.store.duckdb.sums.SumsCodec;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Files and sums that another process has made of a buffer. Encoded as the length of the list of
 * files (4), the list as JSON, and the sums as {@link SumsCodec} writes them, if there are any.
 *
 * @param sums null if there are none
 */
record FileReport(List<StoredFile> files, BufferSums sums) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<List<StoredFile>> FILES = new TypeReference<>() {};

  /**
   * Appends the report to a message.
   *
   * @param plan of the sums, if there are any
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
  static FileReport read(BlockInput in, SealedSums sums) {
    int length = in.takeInt();
    int start = in.take(length);
    List<StoredFile> files;
    try {
      files = JSON.readValue(in.bytes(), start, length, FILES);
    } catch (IOException e) {
      throw in.broken("invalid list of files: " + e.getMessage());
    }
    return new FileReport(files, in.remaining() == 0 ? null : sums.read(in));
  }

  /**
   * Checks that the files are in the table's folder and complete.
   *
   * @param storage of the table's files
   * @param data folder of the table's files
   */
  void check(TableStorage storage, Path data) {
    for (StoredFile file : files) {
      Path path = Path.of(file.path());
      if (!path.equals(ParquetWriter.path(data, file.hour(), path.getFileName().toString()))) {
        throw new StoreException(path + " is outside of the table's data folder " + data, null);
      }
      try {
        long bytes = storage.size(path).orElseThrow(() -> new NoSuchFileException("" + path));
        if (bytes != file.bytes()) {
          throw new StoreException(
              "%s: size %d, expected %d as reported by the writer; check that both hosts mount the same directory"
                  .formatted(path, bytes, file.bytes()),
              null);
        }
      } catch (IOException e) {
        throw new StoreException(
            "cannot find a file reported by a writer (%s); check that both hosts mount the same directory"
                .formatted(e),
            e);
      }
    }
  }

  void deleteFiles(TableStorage storage) {
    files.forEach(file -> storage.deleteUnused(Path.of(file.path())));
  }
}
