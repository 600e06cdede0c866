package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorsPageTest {
  private static final Pattern QUERY = Pattern.compile("(?s)```sql\n(.*?)```");

  @TempDir Path directory;

  @Test
  void eachQueryOfThePagesRunsOverTheTableOfFlows() throws IOException {
    List<String> queries = new ArrayList<>();
    for (String name : List.of("operators.md", "measuring.md")) {
      String page = Files.readString(Path.of("../docs", name));
      List<String> found = QUERY.matcher(page).results().map(query -> query.group(1)).toList();
      assertThat(found).as(name).isNotEmpty();
      queries.addAll(found);
    }
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      store.table(Store.FLOWS, new FlowSchema(List.of()));
      for (String query : queries) {
        try (QueryResult result =
            store.query(new QueryRequest(query, Duration.ofSeconds(10), 100))) {
          assertThat(result.next()).as(query).isFalse();
        }
      }
    }
  }
}
