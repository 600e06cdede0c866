package io.millrace.cli.console;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * The constants of an enum by their words, as {@code built-in}, in any case. picocli's own
 * converter tells who has mistyped one Java's names besides.
 *
 * @param type of the constants; their words are their {@link Object#toString} in lower case
 */
public record EnumWords<E extends Enum<E>>(Class<E> type) implements ITypeConverter<E> {
  /** Has every option and parameter of an enum take these words, those of subcommands too. */
  public static void register(CommandLine line) {
    for (ArgSpec argument : line.getCommandSpec().args()) {
      for (Class<?> type : argument.auxiliaryTypes()) {
        if (type.isEnum()) {
          register(line, type);
        }
      }
    }
    line.getSubcommands().values().forEach(EnumWords::register);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an enum's class, which no type can say
  private static void register(CommandLine line, Class<?> type) {
    line.registerConverter((Class) type, new EnumWords(type));
  }

  @Override
  public E convert(String word) {
    for (E constant : type.getEnumConstants()) {
      if (word(constant).equalsIgnoreCase(word)) {
        return constant;
      }
    }
    throw new TypeConversionException(
        word
            + " is none of "
            + Arrays.stream(type.getEnumConstants())
                .map(EnumWords::word)
                .collect(Collectors.joining(", ")));
  }

  private static String word(Enum<?> constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }
}
