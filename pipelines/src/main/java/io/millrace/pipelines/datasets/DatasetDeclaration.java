package io.millrace.pipelines.datasets;

import io.millrace.datasets.Columns;
import io.millrace.datasets.DatasetConfig;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data set as declared in the configuration file; serialised with a job. {@link DatasetConfig}
 * interprets and validates it.
 *
 * @param kind {@code range}, {@code keyvalue}, {@code pair}, {@code exporter}, {@code mac} or
 *     {@code ixf}; kind, columns and join are optional for a set named {@code asn}, {@code rdns} or
 *     {@code interfaces}
 * @param files paths of CSV, YAML or (only range) MMDB files (range, pair, mac), of the built file
 *     (keyvalue), or of JSON files (ixf)
 * @param columns of the CSV, in order
 * @param join prefix of the added columns, by flow column
 * @param lenient whether invalid lines are skipped and counted
 * @param hotKeys number of records of a keyvalue set cached by each look-up; 0 for the default
 */
public record DatasetDeclaration(
    String kind,
    List<String> files,
    List<String> columns,
    Map<String, String> join,
    boolean lenient,
    int hotKeys)
    implements Serializable {

  private static final Map<String, String> BOTH_ENDS =
      joinOf("src_addr", "src_", "dst_addr", "dst_");

  private static final Map<String, String> BOTH_MACS = joinOf("src_mac", "src_", "dst_mac", "dst_");

  private static final Map<String, DatasetDeclaration> WELL_KNOWN =
      Map.of(
          "asn",
          new DatasetDeclaration(
              "range",
              List.of(),
              List.of("start", "end", "as:number", "as_name:text"),
              BOTH_ENDS,
              false,
              0),
          "rdns",
          new DatasetDeclaration(
              "keyvalue",
              List.of(),
              List.of("ip", "dns:text", "domain:domain(dns)"),
              BOTH_ENDS,
              false,
              0),
          "interfaces",
          new DatasetDeclaration(
              "pair",
              List.of(),
              List.of(
                  "exporter",
                  "interface",
                  "name:text",
                  "description:text",
                  "mbit_s:number",
                  "boundary:text"),
              joinOf("in_if", "in_if_", "out_if", "out_if_"),
              false,
              0));

  public DatasetDeclaration {
    files = files == null ? List.of() : List.copyOf(files);
    columns = columns == null ? List.of() : List.copyOf(columns);
    join = join == null ? new LinkedHashMap<>() : new LinkedHashMap<>(join);
  }

  /** AS numbers from exporters, with the same columns as a table named {@code asn}. */
  public static DatasetDeclaration ofExporters() {
    return new DatasetDeclaration(
        "exporter",
        List.of(),
        List.of("as:number"),
        joinOf("exporter_src_as", "src_", "exporter_dst_as", "dst_"),
        false,
        0);
  }

  /** A set with defaults for everything but its files. */
  public static DatasetDeclaration of(String... files) {
    return new DatasetDeclaration(null, List.of(files), null, null, false, 0);
  }

  /** A set with invalid lines skipped and counted. */
  public static DatasetDeclaration ofLenient(List<String> files) {
    return new DatasetDeclaration(null, files, null, null, true, 0);
  }

  /** CSV columns from which a set named {@code rdns} is built, and its derived columns. */
  public static Columns rdnsColumns() {
    return Columns.parse("rdns", WELL_KNOWN.get("rdns").columns);
  }

  private static Map<String, String> joinOf(String first, String a, String second, String b) {
    Map<String, String> join = new LinkedHashMap<>();
    join.put(first, a);
    join.put(second, b);
    return join;
  }

  /**
   * The validated configuration of the declaration.
   *
   * @throws io.millrace.datasets.DatasetConfigException the message has key, value and allowed
   *     values
   */
  public DatasetConfig toConfig(String name) {
    DatasetDeclaration known = WELL_KNOWN.get(name);
    return DatasetConfig.parse(
        name,
        kind != null || known == null ? String.valueOf(kind) : known.kind,
        files.stream().map(Path::of).toList(),
        columns.isEmpty() && known != null && !"ixf".equals(kind) ? known.columns : columns,
        joins(known),
        lenient,
        hotKeys == 0 ? DatasetConfig.DEFAULT_HOT_KEYS : hotKeys);
  }

  private Map<String, String> joins(DatasetDeclaration known) {
    if (!join.isEmpty()) {
      return join;
    }
    return "ixf".equals(kind) ? BOTH_MACS : known == null ? join : known.join;
  }

  /** This declaration with absolute files, for processes with other working directories. */
  public DatasetDeclaration absolute() {
    return below(Path.of("").toAbsolutePath());
  }

  /** This declaration with relative files resolved against a directory. */
  public DatasetDeclaration below(Path directory) {
    List<String> found = files.stream().map(file -> directory.resolve(file).toString()).toList();
    return new DatasetDeclaration(kind, found, columns, join, lenient, hotKeys);
  }

  /** All declarations, validated together, in order. */
  public static List<DatasetConfig> toConfigs(Map<String, DatasetDeclaration> declarations) {
    List<DatasetConfig> configs =
        declarations.entrySet().stream().map(e -> e.getValue().toConfig(e.getKey())).toList();
    DatasetConfig.checkTogether(configs);
    return configs;
  }
}
