package io.millrace.cli.console;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Writer that escapes control characters (C0, DEL and C1) other than tabs and line ends, such as
 * {@code \u001b}; JSON reads them as the same text. Printed values are untrusted, and terminals
 * interpret control characters.
 */
public final class EscapingWriter extends PrintWriter {
  private static final String CLEAR = "\033[H\033[2J";

  private final Writer raw;

  /**
   * Creates a writer.
   *
   * @param flushesLines whether to flush at each line end
   */
  public EscapingWriter(Writer raw, boolean flushesLines) {
    super(new Escapes(raw), flushesLines);
    this.raw = raw;
  }

  /** Clears the terminal of a writer. */
  public static void clear(PrintWriter out) {
    out.flush();
    if (out instanceof EscapingWriter escaping) {
      try {
        escaping.raw.write(CLEAR);
      } catch (IOException e) {
        escaping.setError();
      }
    } else {
      out.print(CLEAR);
    }
  }

  private static final class Escapes extends FilterWriter {
    private boolean afterReturn; // a carriage return is pending

    Escapes(Writer out) {
      super(out);
    }

    @Override
    public void write(int c) throws IOException {
      write(new char[] {(char) c}, 0, 1);
    }

    @Override
    public void write(String text, int start, int length) throws IOException {
      int from = start;
      for (int i = start; i < start + length; i++) {
        char c = text.charAt(i);
        if (afterReturn || isEscaped(c)) {
          out.write(text, from, i - from);
          special(c);
          from = i + 1;
        }
      }
      out.write(text, from, start + length - from);
    }

    @Override
    public void write(char[] text, int start, int length) throws IOException {
      write(new String(text, start, length), 0, length);
    }

    private static boolean isEscaped(char c) {
      return Character.isISOControl(c) && c != '\n' && c != '\t';
    }

    private void special(char c) throws IOException {
      if (afterReturn) { // a carriage return is harmless only before a line feed
        afterReturn = false;
        if (c == '\n') {
          out.write("\r\n");
          return;
        }
        out.write("\\u000d");
      }
      if (c == '\r') {
        afterReturn = true;
      } else if (isEscaped(c)) {
        out.write("\\u%04x".formatted((int) c));
      } else {
        out.write(c);
      }
    }
  }
}
