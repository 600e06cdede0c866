package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class RowCountTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "2500000, 2500000", "500k, 500000", "100M, 100000000", "1G, 1000000000"})
  void readsUnits(String text, long rows) {
    assertThat(new RowCount().convert(text)).isEqualTo(rows);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "k", "-1", "1.5M", "10m", "10 M", "1T", "9999999999999"})
  void rejectsAnythingElse(String text) {
    assertThatThrownBy(() -> new RowCount().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("such as 500k, 10M or 1G");
  }
}
