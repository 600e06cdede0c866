package io.millrace.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TablePrinterTest {
  private static final String WAVE = "\uD83C\uDF0A"; // one character of two chars

  @Test
  void columnsAreAlignedTextLeftAndNumbersRight() {
    assertThat(print("name", "a", "1", "longer", "23"))
        .containsExactly("name     n", "──────  ──", "a        1", "longer  23");
  }

  @Test
  void longTextIsTruncatedWithAMark() {
    String cell = print("x", "y".repeat(61), "1").get(2);
    assertThat(cell).isEqualTo("y".repeat(59) + "…  1");
  }

  @Test
  void surrogatePairsAreNotSplit() {
    for (int before = 55; before <= 60; before++) {
      String line = print("x", "y".repeat(before) + WAVE.repeat(10), "1").get(2);
      String again =
          new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8); // '?' for half
      assertThat(again).as("%d before", before).isEqualTo(line).contains("…  ");
    }
  }

  @Test
  void aLineEachColumnIsAsWideAsItsName() {
    StringWriter text = new StringWriter();
    RowPrinter printer = RowPrinter.of(RowFormat.VERTICAL, new PrintWriter(text));
    printer.header(List.of(new RowPrinter.Column("name", false), new RowPrinter.Column("n", true)));
    printer.row(new String[] {"a\nb", "1"});
    printer.row(new String[] {null, "2"});
    printer.end();
    assertThat(text.toString().lines())
        .containsExactly("─── row 1", "name  a b", "n     1", "─── row 2", "name", "n     2");
  }

  @Test
  void spreadsheetsGetAByteOrderMarkAndNoFormulas() {
    StringWriter text = new StringWriter();
    RowPrinter printer = RowPrinter.of(RowFormat.SPREADSHEET, new PrintWriter(text));
    printer.header(List.of(new RowPrinter.Column("name", false), new RowPrinter.Column("n", true)));
    printer.row(new String[] {"=HYPERLINK(\"x\")", "-1"});
    printer.row(new String[] {"@a", null});
    printer.row(new String[] {"a=b", "+2"});
    printer.end();
    assertThat(text)
        .hasToString("\uFEFFname,n\r\n\"'=HYPERLINK(\"\"x\"\")\",-1\r\n'@a,\r\na=b,+2\r\n");
  }

  @Test
  void lineBreaksBecomeBlanks() {
    assertThat(print("x", "a\nb\tc", "1").get(2)).isEqualTo("a b c  1");
  }

  private static List<String> print(String name, String... cells) {
    StringWriter text = new StringWriter();
    TablePrinter printer = new TablePrinter(new PrintWriter(text));
    printer.header(List.of(new RowPrinter.Column(name, false), new RowPrinter.Column("n", true)));
    for (int i = 0; i < cells.length; i += 2) {
      printer.row(new String[] {cells[i], cells[i + 1]});
    }
    printer.end();
    return text.toString().lines().toList();
  }
}
