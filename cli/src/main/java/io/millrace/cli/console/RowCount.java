package io.millrace.cli.console;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of rows: {@code 2500000}, {@code 500k}, {@code 10M}, {@code 1G}. */
public final class RowCount implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([kMG]?)");

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          text + ": invalid number of rows, expected a number such as 500k, 10M or 1G");
    }
    long unit =
        switch (matcher.group(2)) {
          case "k" -> 1_000;
          case "M" -> 1_000_000;
          case "G" -> 1_000_000_000;
          default -> 1;
        };
    return Long.parseLong(matcher.group(1)) * unit; // below 2^60
  }
}
