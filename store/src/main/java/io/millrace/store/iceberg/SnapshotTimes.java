package io.millrace.store.iceberg;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;

/**
 * Corrects times of snapshots that are in the future because the clock was set back: Iceberg
 * rejects a snapshot that is more than a minute older than the previous one.
 */
final class SnapshotTimes {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Less than the minute that Iceberg tolerates. */
  private static final long MAX_AHEAD_MILLIS = 10_000;

  private SnapshotTimes() {}

  /** Returns the metadata with future times replaced by now. */
  static TableMetadata untilNow(TableMetadata metadata) {
    long now = System.currentTimeMillis();
    if (metadata.lastUpdatedMillis() <= now + MAX_AHEAD_MILLIS) {
      return metadata;
    }
    try {
      ObjectNode json = (ObjectNode) JSON.readTree(TableMetadataParser.toJson(metadata));
      limit(json, "last-updated-ms", now);
      for (String list : List.of("snapshots", "snapshot-log", "metadata-log")) {
        for (JsonNode entry : json.path(list)) {
          limit((ObjectNode) entry, "timestamp-ms", now);
        }
      }
      return TableMetadataParser.fromJson(
          metadata.metadataFileLocation(), JSON.writeValueAsString(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void limit(ObjectNode node, String name, long now) {
    node.put(name, Math.min(node.path(name).asLong(), now));
  }
}
