package io.millrace.datasets.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvReaderTest {
  @TempDir Path directory;

  @Test
  void readsFieldsInQuotes() throws IOException {
    assertThat(read("1,\"Cloudflare, Inc.\"\n2,\"the \"\"best\"\"\",x\n"))
        .containsExactly("1: 1|Cloudflare, Inc.", "2: 2|the \"best\"|x");
  }

  @Test
  void countsLinesThroughCommentsEmptyLinesAndQuotedLineEnds() throws IOException {
    assertThat(read("\uFEFF# two\r\n\r\na,\"b\nc\"\r\n\n  d , e\t\n#end"))
        .containsExactly("3: a|b\nc", "6: d|e");
  }

  @Test
  void readsEmptyFieldsAndALastLineWithoutEnd() throws IOException {
    assertThat(read("a,,\n,\"\"")).containsExactly("1: a||", "2: |");
  }

  @Test
  void usesTheFirstOfCommaSemicolonAndTabAsDelimiter() throws IOException {
    assertThat(read("# a,b\n\nstart;name\n1.0.0.0;Cloudflare, Inc.\n;\n"))
        .containsExactly("3: start|name", "4: 1.0.0.0|Cloudflare, Inc.", "5: |");
    assertThat(read("\"x,;y\"\tb; c\n1\t\t2\n\t\n"))
        .containsExactly("1: x,;y|b; c", "2: 1||2", "3: |");
    assertThat(read("192.0.2.1,a;b;c\n")).containsExactly("1: 192.0.2.1|a;b;c");
  }

  @Test
  void keepsAQuoteInsideAField() throws IOException {
    assertThat(read("5\" disk,x\n")).containsExactly("1: 5\" disk|x");
  }

  @Test
  void continuesAfterAFaultyLine() throws IOException {
    assertThat(read("\"a\"b,c\nd\n\"open\ne\n"))
        .containsExactly(
            "1: fault text after a closing quote", "2: d", "3: fault unclosed quote", "4: e");
  }

  @Test
  void findsRecordsAcrossTheEdgesOfItsBuffer() throws IOException {
    StringBuilder text = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      String filler = "x".repeat(i % 37);
      text.append(i).append(",\"").append(filler).append("\"\"\"\n");
      expected.add((i + 1) + ": " + i + "|" + filler + "\"");
    }
    assertThat(read(text.toString())).isEqualTo(expected);
  }

  @Test
  void rejectsARecordThatIsTooLongButNotTheFile() throws IOException {
    String rest = "y\n".repeat(CsvReader.MAX_RECORD_BYTES);
    assertThat(read("\"" + rest))
        .startsWith("1: fault unclosed quote, or line longer than 1048576 bytes", "2: y");
  }

  @Test
  void readsGzipInSeveralMembers() throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(gzip("a,b\nc"));
    both.write(gzip(",d\n"));
    Path file = Files.write(directory.resolve("no-ending"), both.toByteArray());
    assertThat(read(file)).containsExactly("1: a|b", "2: c|d");
  }

  @Test
  void rejectsGzipThatIsCutOff() throws IOException {
    byte[] whole = gzip("a,b\n".repeat(1000));
    Path file = Files.write(directory.resolve("x.gz"), Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> read(file)).isInstanceOf(EOFException.class);
  }

  private List<String> read(String text) throws IOException {
    return read(Files.writeString(directory.resolve("x.csv"), text));
  }

  private static List<String> read(Path file) throws IOException {
    List<String> records = new ArrayList<>();
    try (CsvReader csv = CsvReader.open(file)) {
      while (csv.next()) {
        StringBuilder record = new StringBuilder(csv.line() + ": ");
        for (int i = 0; i < csv.fields(); i++) {
          record.append(i > 0 ? "|" : "").append(csv.text(i));
        }
        records.add(csv.fault() == null ? record.toString() : record + "fault " + csv.fault());
      }
      assertThat(csv.bytesRead()).isEqualTo(Files.size(file));
    }
    return records;
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}
