package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EscapingWriterTest {
  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new EscapingWriter(written, false);

  @Test
  void controlCharactersAreEscaped() {
    for (char c = 0; c < 0x300; c++) {
      out.print("<" + c + ">");
      out.print(c);
      out.write(new char[] {'-', c, '-'}, 0, 3);
      out.println();
    }
    out.flush();
    assertThat(written.toString().chars().filter(c -> c != '\n' && c != '\t'))
        .noneMatch(Character::isISOControl);
    assertThat(written.toString())
        .contains("<\\u001b>\\u001b-\\u001b-\n")
        .contains("<\\u009b>\\u009b-\\u009b-\n")
        .contains("<\\u007f>\\u007f-\\u007f-\n")
        .contains("<\\u000d>\\u000d-\\u000d-\n")
        .contains("<ö>ö-ö-\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\tb\n", "a\r\nb\r\n", "日本 ö 👍 \u2028", "\r\n"})
  void otherTextIsUnchanged(String text) {
    out.print(text);
    out.flush();
    assertThat(written).hasToString(text);
  }

  @Test
  void clearingTheScreenIsNotEscaped() {
    out.print("a");
    EscapingWriter.clear(out);
    out.print("\033[2J");
    out.flush();
    assertThat(written).hasToString("a\033[H\033[2J\\u001b[2J");
  }
}
