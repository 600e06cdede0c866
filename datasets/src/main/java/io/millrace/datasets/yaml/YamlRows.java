package io.millrace.datasets.yaml;

import io.millrace.datasets.Columns;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.csv.CsvReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads a data set from a YAML list whose items map column names to values; a missing column is
 * empty. Converts it to CSV with each item at its line number, so that validation and messages are
 * the same.
 */
public final class YamlRows {
  private final Path file;
  private final List<String> columns;
  private final StringBuilder csv = new StringBuilder();
  private int lines;

  private YamlRows(Path file, Columns columns) {
    this.file = file;
    this.columns = columns.names();
  }

  /** Whether the name of a file ends in {@code .yaml} or {@code .yml}. */
  public static boolean isNamedSo(Path file) {
    return file.toString().endsWith(".yaml") || file.toString().endsWith(".yml");
  }

  /**
   * Opens a file as CSV records.
   *
   * @throws DatasetException if it is not YAML, not a list, or an item has an unknown column
   * @throws IOException if it cannot be read
   */
  public static CsvReader open(Path file, Columns columns) throws IOException {
    YamlRows rows = new YamlRows(file, columns);
    try (InputStream in = Files.newInputStream(file)) {
      LoadSettings settings =
          LoadSettings.builder()
              .setSchema(new CoreSchema())
              .setUseMarks(true)
              .build(); // reads ~ as null
      Node root = new Compose(settings).composeInputStream(in).orElse(null);
      if (root instanceof SequenceNode list) {
        for (Node item : list.getValue()) {
          rows.add(item);
        }
      } else if (root != null && !root.getTag().equals(Tag.NULL)) {
        throw rows.fault(root, "expected a list of items: - {column: value}");
      }
    } catch (MarkedYamlEngineException e) {
      long line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
      throw new DatasetException(file, line, "invalid YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new DatasetException(file, "invalid YAML: " + e.getMessage());
    }
    byte[] bytes = rows.csv.toString().getBytes(StandardCharsets.UTF_8);
    return CsvReader.read(new ByteArrayInputStream(bytes));
  }

  private void add(Node item) throws DatasetException {
    if (!(item instanceof MappingNode mapping)) {
      throw fault(item, "expected a mapping of column names to values, with columns " + columns);
    }
    String[] values = new String[columns.size()];
    for (NodeTuple entry : mapping.getValue()) {
      String name = text(entry.getKeyNode());
      int column = columns.indexOf(name);
      if (column < 0) {
        throw fault(entry.getKeyNode(), "\"" + name + "\" is not one of the columns " + columns);
      }
      if (values[column] != null) {
        throw fault(entry.getKeyNode(), "\"" + name + "\" is a duplicate column");
      }
      values[column] = text(entry.getValueNode());
    }
    for (long line = line(item); lines + 1 < line; lines++) {
      csv.append('\n');
    }
    csv.append(Arrays.stream(values).map(YamlRows::field).collect(Collectors.joining(",")));
    csv.append('\n');
    lines++;
  }

  private static String field(String value) {
    return value == null ? "" : '"' + value.replace("\"", "\"\"").replace('\n', ' ') + '"';
  }

  private String text(Node node) throws DatasetException {
    if (!(node instanceof ScalarNode scalar)) {
      throw fault(node, "expected a scalar value");
    }
    return scalar.getTag().equals(Tag.NULL) ? "" : scalar.getValue();
  }

  private DatasetException fault(Node node, String what) {
    return new DatasetException(file, line(node), what);
  }

  private static long line(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }
}
