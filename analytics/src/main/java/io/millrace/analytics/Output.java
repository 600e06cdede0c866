package io.millrace.analytics;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.TableBlock;
import java.util.regex.Pattern;

/**
 * One of the further outputs of an {@link Analyzer}, beside the one that its type names: rows of
 * another table, blocks of another kind, what goes to a topic. A constant of the analyzer, which
 * {@linkplain Analyzer#outputs names} it, {@linkplain Emitter#emit(Output, Block) emits} to it, and
 * knows nothing of who reads it. What nobody reads is dropped.
 *
 * @param name tells the outputs of an analyzer apart: lower-case letters, digits and hyphens
 * @param type of the blocks
 * @param <B> the blocks that come out there
 */
public record Output<B extends Block>(String name, Class<B> type) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  /** Checks the name. */
  public Output {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "output '" + name + "': lower-case letters, digits and hyphens, a letter first");
    }
  }

  /** An output of rows of a table. */
  public static Output<TableBlock> ofTable(String name) {
    return new Output<>(name, TableBlock.class);
  }
}
