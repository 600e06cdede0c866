package io.millrace.analytics;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import java.util.regex.Pattern;

/**
 * A side output of an {@link Analyzer}: rows of another table, blocks of another type, records for
 * a topic. A constant of the analyzer, which {@linkplain Analyzer#outputs declares} it and
 * {@linkplain Emitter#emit(Output, Block) emits} to it. Blocks without a reader are dropped.
 *
 * @param name unique in the analyzer: lower-case letters, digits and hyphens
 * @param type of the blocks
 * @param <B> blocks of the output
 */
public record Output<B extends Block>(String name, Class<B> type) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  public Output {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "output '" + name + "': expected lower-case letters, digits and hyphens, a letter first");
    }
  }

  /** An output of rows of a table. */
  public static Output<TableBlock> ofTable(String name) {
    return new Output<>(name, TableBlock.class);
  }
}
