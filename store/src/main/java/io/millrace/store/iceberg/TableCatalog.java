package io.millrace.store.iceberg;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.ObjectsConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.apache.iceberg.rest.responses.LoadTableResponseParser;

/**
 * Read-only catalog of the tables in directories, with the responses of Iceberg's REST protocol.
 * Each call reads the directories, so a response has the newest snapshot. Thread-safe.
 *
 * <p>Source: Apache Iceberg REST catalog API specification.
 */
public final class TableCatalog {
  /** The only namespace. */
  public static final String NAMESPACE = "millrace";

  /** Name of the directory of tables of flows in the store's directory. */
  public static final String DIRECTORY = "tables";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Excludes paths out of the directory. */
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

  /** Attempts to read a version; each one fails only if twenty later ones were committed. */
  private static final int ATTEMPTS = 5;

  /** As text: the constants of Iceberg's library load an HTTP client. */
  private static final List<String> ENDPOINTS =
      List.of(
          "GET /v1/{prefix}/namespaces",
          "GET /v1/{prefix}/namespaces/{namespace}",
          "HEAD /v1/{prefix}/namespaces/{namespace}",
          "GET /v1/{prefix}/namespaces/{namespace}/tables",
          "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
          "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}");

  private final ObjectsConfig objects;
  private final List<Path> directories;

  /**
   * Creates a catalog of the tables below directories, which may be missing.
   *
   * @param objects where clients find the files
   */
  public TableCatalog(ObjectsConfig objects, Path... directories) {
    this.objects = objects;
    this.directories =
        Stream.of(directories).map(directory -> directory.toAbsolutePath().normalize()).toList();
  }

  /** The catalog of a store. */
  public static TableCatalog ofStore(Path store, ObjectsConfig objects) {
    return new TableCatalog(
        objects, store.resolve(DIRECTORY), store.resolve(IcebergHistory.DIRECTORY));
  }

  /** Configuration: the supported endpoints, and how to reach the object store, if there is one. */
  public String config() {
    Map<String, String> defaults = new TreeMap<>();
    if (objects.location() != null) {
      defaults.put("s3.region", objects.region());
    }
    if (objects.location() != null && objects.endpoint() != null) {
      defaults.put("s3.endpoint", objects.endpoint());
      defaults.put("s3.path-style-access", "true");
    }
    return json(Map.of("defaults", defaults, "overrides", Map.of(), "endpoints", ENDPOINTS));
  }

  /** List of namespaces. */
  public String namespaces() {
    return json(Map.of("namespaces", List.of(List.of(NAMESPACE))));
  }

  /** List of the namespaces in {@link #NAMESPACE}: none. */
  public String noNamespaces() {
    return json(Map.of("namespaces", List.of()));
  }

  /** The namespace and its properties. */
  public String namespace() {
    return json(Map.of("namespace", List.of(NAMESPACE), "properties", Map.of()));
  }

  /** List of tables, by name. */
  public String tables() {
    return json(
        Map.of(
            "identifiers",
            names().stream()
                .map(name -> Map.of("namespace", List.of(NAMESPACE), "name", name))
                .toList()));
  }

  private static String json(Map<String, Object> response) {
    try {
      return JSON.writeValueAsString(response);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Names of the tables, sorted. */
  public List<String> names() {
    return directories.stream().flatMap(this::names).sorted().toList();
  }

  private Stream<String> names(Path directory) {
    try (Stream<Path> folders = Files.list(directory)) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .filter(this::has)
          .toList()
          .stream();
    } catch (NoSuchFileException e) {
      return Stream.of();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + directory, e);
    }
  }

  /** Whether there is a table of this name. */
  public boolean has(String name) {
    return folder(name).isPresent();
  }

  private Optional<Path> folder(String name) {
    return NAME.matcher(name).matches()
        ? directories.stream()
            .map(directory -> directory.resolve(name))
            .filter(TableDirectory::isTable)
            .findFirst()
        : Optional.empty();
  }

  /** Metadata of a table as of its newest snapshot; empty if there is no such table. */
  public Optional<String> table(String name) {
    return metadata(name)
        .map(
            metadata ->
                LoadTableResponseParser.toJson(
                    LoadTableResponse.builder().withTableMetadata(metadata).build()));
  }

  private Optional<TableMetadata> metadata(String name) {
    for (int attempt = 1; has(name); attempt++) {
      try {
        return TableDirectory.newest(folder(name).orElseThrow());
      } catch (NotFoundException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
    return Optional.empty();
  }
}
