package io.millrace.cli.console;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Option converter that reads enum constants by their words, such as {@code built-in}, in any case.
 *
 * @param type enum; the word of a constant is its {@link Object#toString} in lower case
 */
public record EnumWords<E extends Enum<E>>(Class<E> type) implements ITypeConverter<E> {
  /**
   * Registers the converter for all enum options and parameters, including those of subcommands.
   */
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

  @SuppressWarnings({"unchecked", "rawtypes"}) // the enum class, which no type can express
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
            + ": expected one of "
            + Arrays.stream(type.getEnumConstants())
                .map(EnumWords::word)
                .collect(Collectors.joining(", ")));
  }

  private static String word(Enum<?> constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }
}
