package io.millrace.pipelines.trends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeywordFileTest {
  private static final long NOON = 1_767_268_800_000_000L; // 2026-01-01T12:00:00Z

  @TempDir Path directory;

  private final List<String> keywords = new ArrayList<>();

  private KeywordFile file(String name, String text) throws IOException {
    Path path = directory.resolve(name);
    OutputStream plain = Files.newOutputStream(path);
    try (OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return new KeywordFile(
        path,
        (utf8, offset, length, micros, count) ->
            keywords.add(
                new String(utf8, offset, length, StandardCharsets.UTF_8)
                    + "|"
                    + (micros - NOON)
                    + "|"
                    + count));
  }

  @Test
  void readsPageViewsOfTheHourBeforeItsName() throws Exception {
    KeywordFile file =
        file(
            "pageviews-20260101-130000.gz",
            "en Main_Page 4217 0\nde Zürich 3 0\nen only two\nen  5 0\nfr Paris x 0\naa a 0 0\nde b 2");
    file.read();
    assertThat(file.isPageViews()).isTrue();
    assertThat(keywords).containsExactly("en Main_Page|0|4217", "de Zürich|0|3", "de b|0|2");
    assertThat(file.rejects())
        .isEqualTo(Map.of(KeywordFile.Reject.FIELDS, 1L, KeywordFile.Reject.COUNT, 3L));
  }

  @Test
  void readsLinesWithTimesInAllForms() throws Exception {
    KeywordFile file =
        file(
            "searches.csv",
            "storm,2026-01-01T12:00:07Z,3\r\n"
                + "\"a, \"\"b\"\"\",1767268801\n"
                + "\n"
                + "millis,1767268800002\n"
                + "micros,1767268800000003,2\n");
    file.read();
    assertThat(keywords)
        .containsExactly("storm|7000000|3", "a, \"b\"|1000000|1", "millis|2000|1", "micros|3|2");
    assertThat(file.rejects()).isEmpty();
  }

  @Test
  void skipsInvalidLinesAndCountsThemByReason() throws Exception {
    KeywordFile file =
        file(
            "searches.csv",
            "no time\n,1767268801\n\"open,1767268801\na,yesterday\na,1767268801,-1\n"
                + "x".repeat(1_025)
                + ",1767268801\n"
                + "y".repeat(200_000)
                + ",1767268801\nlast,1767268801");
    file.read();
    assertThat(keywords).containsExactly("last|1000000|1");
    assertThat(file.rejects())
        .isEqualTo(
            Map.of(
                KeywordFile.Reject.FIELDS, 3L,
                KeywordFile.Reject.TIME, 1L,
                KeywordFile.Reject.COUNT, 1L,
                KeywordFile.Reject.LONG_KEYWORD, 2L));
  }

  @Test
  void reportsAFileThatIsNotGzip() throws IOException {
    Path path = directory.resolve("a.gz");
    Files.writeString(path, "plain");
    assertThatThrownBy(() -> new KeywordFile(path, null).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a.gz");
  }
}
