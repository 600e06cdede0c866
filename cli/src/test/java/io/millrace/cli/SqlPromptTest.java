package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
class SqlPromptTest {
  private static final String ANSWER =
      "{\"columns\": [{\"name\": \"column\", \"type\": \"VARCHAR\"}, {\"name\": \"type\", \"type\": \"VARCHAR\"}],"
          + " \"rows\": [[\"time\", \"TIMESTAMP\"]], \"truncated\": false}";

  private static CommandLineRun typed(StubInstance instance, String lines) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
    try {
      return instance.run("sql", "--format", "tsv");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void tablesAndTheirColumnsAreListed() throws IOException {
    try (StubInstance instance = new StubInstance(200, ANSWER)) {
      CommandLineRun run = typed(instance, "\\d\n\\d  flows;\n");
      assertThat(run.status()).isZero();
      assertThat(run.out()).isEqualTo("column\ttype\ntime\tTIMESTAMP\n".repeat(2));
      assertThat(instance.requests()).hasSize(2);
      assertThat(instance.requests().get(0)).contains("count(*) AS columns", "GROUP BY ALL");
      assertThat(instance.requests().get(1)).contains("WHERE table_name = 'flows'");
    }
  }

  @Test
  void helpIsLocalAndExitEndsThePrompt() throws IOException {
    try (StubInstance instance = new StubInstance(200, ANSWER)) {
      CommandLineRun run = typed(instance, "help\n\\q\n\\d\n");
      assertThat(run.out()).contains("\\d TABLE", "exit");
      assertThat(instance.requests()).isEmpty();
    }
  }

  @Test
  void aQueryMayTakeSeveralLines() throws IOException {
    try (StubInstance instance = new StubInstance(200, ANSWER)) {
      assertThat(typed(instance, "SELECT\n1;\n").status()).isZero();
      assertThat(instance.requests()).containsExactly("POST /api/v1/sql {\"sql\":\"SELECT\\n1;\"}");
    }
  }
}
