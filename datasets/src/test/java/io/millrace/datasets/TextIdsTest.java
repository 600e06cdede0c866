package io.millrace.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.datasets.range.RangeLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextIdsTest {
  @TempDir Path directory;

  @Test
  void basesDifferByFieldAndContentAndSpareOrdinals() throws IOException {
    Dataset one = load("1.0.0.0/8,a,b\n");
    Dataset two = load("1.0.0.0/8,a,c\n");
    long base = TextIds.base(one, 0);
    assertThat(base).isNotNegative();
    assertThat(TextIds.base(load("1.0.0.0/8,a,b\n"), 0)).isEqualTo(base);
    assertThat(List.of(base, TextIds.base(one, 1), TextIds.base(two, 0), TextIds.base(two, 1)))
        .doesNotHaveDuplicates();
    long id = base + Integer.MAX_VALUE;
    assertThat(id).isNotNegative();
    assertThat(TextIds.ordinal(id)).isEqualTo(Integer.MAX_VALUE);
    assertThat(TextIds.baseOf(id)).isEqualTo(base);
  }

  private Dataset load(String csv) throws IOException {
    Path file = Files.writeString(directory.resolve("x.csv"), csv);
    Columns columns = Columns.parse("", List.of("cidr", "one:text", "two:text"));
    return RangeLoader.load("x", List.of(file), columns, false).table();
  }
}
