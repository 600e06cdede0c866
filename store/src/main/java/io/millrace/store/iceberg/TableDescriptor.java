package io.millrace.store.iceberg;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.storage.ObjectStorage;
import io.millrace.store.storage.ObjectStore;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;

/**
 * Description of a table for another process that writes its files: the directory, a marker, the
 * columns, and the sums to make.
 *
 * <p>The marker is a file with random content, by which the other process verifies that the path is
 * the same directory on its host. It is replaced each time that the table is opened, so a copy of
 * the directory on another host has another marker.
 *
 * @param directory of the table, absolute
 * @param objects object store with the files; null if they are in the directory
 * @param key of the directory in the object store; null without one
 * @param marker content of the marker
 * @param schema Iceberg's schema as JSON
 * @param sums null if nothing is to be summed up
 */
record TableDescriptor(
    @JsonProperty("table") String table,
    @JsonProperty("directory") String directory,
    @JsonProperty("objects") ObjectsConfig objects,
    @JsonProperty("key") String key,
    @JsonProperty("marker") String marker,
    @JsonProperty("schema") String schema,
    @JsonProperty("sums") Sums sums) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Folder of the marker, in the table's directory. */
  private static final String FOLDER = "writers";

  private static final String MARKER = "marker";

  /**
   * A {@link SumPlan} without the columns of the table.
   *
   * @param sets columns of each set, by its name
   */
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

  /** Creates a description, and writes a new marker. */
  static TableDescriptor of(
      TableStorage storage, String table, Path directory, Schema schema, Optional<SumPlan> sums) {
    String marker = UUID.randomUUID().toString();
    Path folder = directory.resolve(FOLDER);
    try {
      TableDirectory.replace(folder.resolve(MARKER), marker);
      storage.publish(folder.resolve(MARKER));
    } catch (IOException e) {
      throw new StoreException("cannot write to " + folder + ": " + e.getMessage(), e);
    }
    return new TableDescriptor(
        table,
        directory.toString(),
        storage instanceof ObjectStorage remote ? remote.objects().config() : null,
        storage instanceof ObjectStorage remote ? remote.key(directory) : null,
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

  static TableDescriptor parse(String json) {
    try {
      return JSON.readValue(json, TableDescriptor.class);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Why this process cannot write files there; empty if it can. */
  Optional<String> problem() {
    return objects == null ? problemOfDirectory() : problemOfObjects();
  }

  private Optional<String> problemOfObjects() {
    String folder = key + "/" + FOLDER + "/";
    try (ObjectStore store = new ObjectStore(objects)) {
      byte[] expected = marker.getBytes(UTF_8);
      if (!Arrays.equals(store.get(folder + MARKER).orElse(null), expected)) {
        return Optional.of(
            "%s/%s%s differs from the store's, so the object store is another"
                .formatted(objects.location(), folder, MARKER));
      }
      String probe = folder + UUID.randomUUID();
      var unused = store.putIfAbsent(probe, expected);
      store.delete(probe);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> problemOfDirectory() {
    Path folder = Path.of(directory, FOLDER);
    Path marked = folder.resolve(MARKER);
    Path probe = folder.resolve(UUID.randomUUID().toString());
    try {
      if (!Files.exists(marked)) {
        return Optional.of(marked + " does not exist on this host");
      }
      if (!Files.readString(marked).equals(marker)) {
        return Optional.of(marked + " differs from the store's, so the directory is another");
      }
      try {
        Files.writeString(probe, marker);
        UserPrincipal mine = Files.getOwner(probe);
        UserPrincipal others = Files.getOwner(marked);
        return mine.equals(others)
            ? Optional.empty()
            : Optional.of(
                "files written here belong to user %s, files of the store to user %s"
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

  /** The sums to make of rows with these columns; empty for none. */
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
