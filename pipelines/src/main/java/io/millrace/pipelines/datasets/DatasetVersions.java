package io.millrace.pipelines.datasets;

import io.millrace.engine.log.LogTopics;
import io.millrace.engine.table.TableTopic;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Which content of each data set holds: a table of the log, so that from the same record on all
 * subtasks join with a changed file. Sets that it does not name are joined with what their files
 * held when they were opened.
 *
 * @param fingerprints of the contents, by the set's name
 */
public record DatasetVersions(Map<String, Long> fingerprints) {
  private static final String TOPIC = "millrace.datasets";

  /** None is named. */
  public static final DatasetVersions NONE = new DatasetVersions(Map.of());

  /** Copies the map. */
  public DatasetVersions {
    fingerprints = Map.copyOf(fingerprints);
  }

  /** Reads a line for each set: its name and the fingerprint in hexadecimal. */
  private record Lines() implements TableTopic.Parser<DatasetVersions>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public DatasetVersions parse(byte[] version) throws IOException {
      Map<String, Long> fingerprints = new TreeMap<>();
      try {
        new String(version, StandardCharsets.UTF_8)
            .lines()
            .map(line -> line.split(" "))
            .forEach(parts -> fingerprints.put(parts[0], Long.parseUnsignedLong(parts[1], 16)));
      } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
        throw new IOException("no versions of data sets: " + e.getMessage(), e);
      }
      return new DatasetVersions(fingerprints);
    }
  }

  /** Makes the table where it is missing, naming none. */
  public static void ensure(LogTopics topics, String bootstrapServers) {
    TableTopic<DatasetVersions> table = topic(bootstrapServers);
    table.ensure(topics);
    table.publishFirst(NONE.toBytes());
  }

  /** The table, in the log behind these servers. */
  public static TableTopic<DatasetVersions> topic(String bootstrapServers) {
    return topic(bootstrapServers, TableTopic.DEFAULT_DELAY);
  }

  /** The same, of which versions hold after another delay. */
  public static TableTopic<DatasetVersions> topic(String bootstrapServers, Duration delay) {
    return new TableTopic<>(bootstrapServers, TOPIC, delay, new Lines());
  }

  /** Fingerprint of the content of a set; empty if it is not named. */
  public OptionalLong of(String name) {
    Long fingerprint = fingerprints.get(name);
    return fingerprint == null ? OptionalLong.empty() : OptionalLong.of(fingerprint);
  }

  /** A version of the table. */
  byte[] toBytes() {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(fingerprints)
        .forEach(
            (name, fingerprint) ->
                lines.append(name).append(' ').append(Long.toHexString(fingerprint)).append('\n'));
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }
}
