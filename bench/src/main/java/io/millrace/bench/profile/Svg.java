package io.millrace.bench.profile;

import java.util.Locale;

/** A drawing, element by element. */
final class Svg {
  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height) {
    format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">%n",
        width, height);
    format("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
  }

  private void format(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values));
  }

  private static String escaped(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  Svg text(double x, double y, String words) {
    format("<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, escaped(words));
    return this;
  }

  Svg box(double x, double y, double width, double height, String colour, String title) {
    format(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>%n",
        x, y, width, height, colour, escaped(title));
    return this;
  }

  /** A colour of its own for each of a few. */
  static String colour(int index) {
    return String.format(Locale.ROOT, "hsl(%d,65%%,58%%)", (210 + index * 67) % 360);
  }

  @Override
  public String toString() {
    return text + "</svg>\n";
  }
}
