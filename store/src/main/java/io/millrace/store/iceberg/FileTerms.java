package io.millrace.store.iceberg;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.store.rollup.RollupSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;

/**
 * What another process needs to write files of a table: where, whether that is the same directory
 * there, the columns, and what is to be summed up.
 *
 * <p>A file with random content shows whether a path means the same directory in two processes. It
 * is new each time that the table is opened, so that a copy of the directory on another machine has
 * another one.
 *
 * @param directory of the table, absolute
 * @param marker content of the file
 * @param schema of Iceberg, as JSON
 * @param sums null if nothing is summed up
 */
record FileTerms(
    @JsonProperty("table") String table,
    @JsonProperty("directory") String directory,
    @JsonProperty("marker") String marker,
    @JsonProperty("schema") String schema,
    @JsonProperty("sums") Sums sums) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Folder of the marker, in that of the table. */
  private static final String FOLDER = "writers";

  private static final String MARKER = "marker";

  /** A {@link SumPlan} without its columns: columns by name of the set. */
  record Sums(
      @JsonProperty("sets") Map<String, List<String>> sets,
      @JsonProperty("flowMicros") long flowMicros,
      @JsonProperty("delayMicros") long delayMicros,
      @JsonProperty("hasSample") boolean hasSample) {
    private static Sums of(SumPlan plan) {
      Map<String, List<String>> sets = new LinkedHashMap<>();
      plan.sets().forEach(set -> sets.put(set.name(), set.columns()));
      return new Sums(sets, plan.flowMicros(), plan.delayMicros(), plan.hasSample());
    }
  }

  /** Terms with a new marker, which is written. */
  static FileTerms of(String table, Path directory, Schema schema, Optional<SumPlan> sums) {
    String marker = UUID.randomUUID().toString();
    Path folder = directory.resolve(FOLDER);
    try {
      Files.createDirectories(folder);
      TableDirectory.replace(folder.resolve(MARKER), marker);
    } catch (IOException e) {
      throw new StoreException("cannot write to " + folder + ": " + e.getMessage(), e);
    }
    return new FileTerms(
        table,
        directory.toString(),
        marker,
        SchemaParser.toJson(schema),
        sums.map(Sums::of).orElse(null));
  }

  String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static FileTerms parse(String json) {
    try {
      return JSON.readValue(json, FileTerms.class);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Why this process cannot write files there; empty if it can. */
  Optional<String> whyNot() {
    Path folder = Path.of(directory, FOLDER);
    Path marked = folder.resolve(MARKER);
    Path probe = folder.resolve(UUID.randomUUID().toString());
    try {
      if (!Files.exists(marked)) {
        return Optional.of("there is no " + marked + " on this machine");
      }
      if (!Files.readString(marked).equals(marker)) {
        return Optional.of(marked + " is another than that of the store");
      }
      try {
        Files.writeString(probe, marker);
        UserPrincipal mine = Files.getOwner(probe);
        UserPrincipal others = Files.getOwner(marked);
        return mine.equals(others)
            ? Optional.empty()
            : Optional.of(
                "files written here belong to user %s, and those of the store to %s"
                    .formatted(mine, others));
      } finally {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      return Optional.of("cannot write to " + folder + ": " + e);
    }
  }

  Schema icebergSchema() {
    return SchemaParser.fromJson(schema);
  }

  /** What is to be summed up of these columns; empty for nothing. */
  Optional<SumPlan> plan(FlowColumns columns) {
    return sums == null
        ? Optional.empty()
        : Optional.of(
            new SumPlan(
                columns.forScans(),
                sums.sets().entrySet().stream()
                    .map(set -> new RollupSet(set.getKey(), set.getValue()))
                    .toList(),
                sums.flowMicros(),
                sums.delayMicros(),
                sums.hasSample()));
  }
}
