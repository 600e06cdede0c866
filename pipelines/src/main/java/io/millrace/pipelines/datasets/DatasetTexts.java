package io.millrace.pipelines.datasets;

import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.JoinedField;
import io.millrace.datasets.TextIds;
import io.millrace.datasets.catalog.Datasets;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Texts of joined columns, read from the data sets' files, which the joiners of this JVM share. Ids
 * from contents that are no longer open have no text.
 */
public final class DatasetTexts implements ColumnTexts {
  private final List<DatasetConfig> configs;
  private final List<DatasetHandle> handles;
  private final Map<String, Column> columns = new HashMap<>();

  private record Column(DatasetHandle.Reader reader, int field) {
    String text(long id) {
      return reader.goTo(content -> ordinal(content, id) >= 0)
          ? reader.lookup().text(field, (int) ordinal(reader.dataset(), id))
          : null;
    }

    private long ordinal(Dataset content, long id) {
      long ordinal = id - TextIds.base(content, field);
      return ordinal < content.texts(field) ? ordinal : -1;
    }
  }

  /** Opens the declared sets, or shares those already open in this process. */
  public static DatasetTexts of(Map<String, DatasetDeclaration> declared) throws IOException {
    return new DatasetTexts(DatasetDeclaration.toConfigs(declared));
  }

  private DatasetTexts(List<DatasetConfig> configs) throws IOException {
    this.configs = configs;
    handles = SharedDatasets.acquire(configs);
    for (int set = 0; set < configs.size(); set++) {
      DatasetHandle.Reader reader = handles.get(set).newReader();
      reader.refresh();
      int fields = reader.dataset().fields().size();
      List<JoinedField> joined = Datasets.asBuilt(configs.get(set)).joined();
      for (int i = 0; i < joined.size(); i++) { // each joined column has all fields
        if (joined.get(i).isText()) {
          columns.put(joined.get(i).columnName(), new Column(reader, i % fields));
        }
      }
    }
  }

  @Override
  public String text(String name, long id) {
    Column column = columns.get(name);
    return column == null ? null : column.text(id);
  }

  @Override
  public void close() {
    columns.values().stream().map(Column::reader).distinct().forEach(DatasetHandle.Reader::close);
    columns.clear();
    SharedDatasets.release(configs, handles);
  }
}
