package io.millrace.lab.profile;

import java.util.Locale;

/** An SVG drawing. */
final class Svg {
  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height) {
    text.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
            width,
            height));
  }

  private static String escaped(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  void text(double x, double y, String words) {
    text.append(
        String.format(
            Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, escaped(words)));
  }

  void box(double x, double y, double width, double height, String colour, String title) {
    text.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">"
                + "<title>%s</title></rect>%n",
            x,
            y,
            width,
            height,
            colour,
            escaped(title)));
  }

  /** A distinct colour for each of the first few indexes. */
  static String colour(int index) {
    return String.format(Locale.ROOT, "hsl(%d,65%%,58%%)", (210 + index * 67) % 360);
  }

  @Override
  public String toString() {
    return text + "</svg>\n";
  }
}
