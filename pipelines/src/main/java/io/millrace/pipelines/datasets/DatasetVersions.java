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
 * Content of each data set that is in effect: a table of the log, so that all subtasks switch to a
 * changed file at the same record. Sets not listed are joined with the content at opening.
 *
 * @param fingerprints of the contents, by the set's name
 */
public record DatasetVersions(Map<String, Long> fingerprints) {
  private static final String TOPIC = "millrace.datasets";

  /** Lists none. */
  public static final DatasetVersions NONE = new DatasetVersions(Map.of());

  public DatasetVersions {
    fingerprints = Map.copyOf(fingerprints);
  }

  /** Parses one line per set: its name and the fingerprint in hexadecimal. */
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
        throw new IOException("invalid versions of data sets: " + e.getMessage(), e);
      }
      return new DatasetVersions(fingerprints);
    }
  }

  /** Creates the table, if missing, with no sets. */
  public static void ensure(LogTopics topics, String bootstrapServers) {
    TableTopic<DatasetVersions> table = topic(bootstrapServers);
    table.ensure(topics);
    table.publishFirst(NONE.toBytes());
  }

  /** The table in the log with these bootstrap servers. */
  public static TableTopic<DatasetVersions> topic(String bootstrapServers) {
    return topic(bootstrapServers, TableTopic.DEFAULT_DELAY);
  }

  /** The table, with the given delay until a version takes effect. */
  public static TableTopic<DatasetVersions> topic(String bootstrapServers, Duration delay) {
    return new TableTopic<>(bootstrapServers, TOPIC, delay, new Lines());
  }

  /** Fingerprint of the content of a set; empty if it is not listed. */
  public OptionalLong of(String name) {
    Long fingerprint = fingerprints.get(name);
    return fingerprint == null ? OptionalLong.empty() : OptionalLong.of(fingerprint);
  }

  byte[] toBytes() {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(fingerprints)
        .forEach(
            (name, fingerprint) ->
                lines.append(name).append(' ').append(Long.toHexString(fingerprint)).append('\n'));
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }
}
