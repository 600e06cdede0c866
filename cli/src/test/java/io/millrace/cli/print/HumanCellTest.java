package io.millrace.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanCellTest {
  @ParameterizedTest
  @CsvSource({
    "bits_per_second, 47900000000, 47.9 Gbit/s",
    "in_bits_s, 12, 12 bit/s",
    "estimated_bytes, 1234567, 1.23 MB",
    "in_percent, 2.94, 2.9%",
    "share, 0.029, 2.9%",
    "dst_port, 443, 443",
    "bytes, -5, -5"
  })
  void hasTheUnitOfTheColumnName(String column, String raw, String shown) {
    assertThat(HumanCell.of(new RowPrinter.Column(column, true), raw)).isEqualTo(shown);
  }

  @Test
  void textAndNullStayAsTheyAre() {
    assertThat(HumanCell.of(new RowPrinter.Column("bytes", false), "12")).isEqualTo("12");
    assertThat(HumanCell.of(new RowPrinter.Column("bytes", true), null)).isNull();
  }

  @Test
  void sparklinesScaleFromZeroToTheLargestValue() {
    assertThat(Sparkline.of(new double[] {0, 1, 2, Double.NaN, 7})).isEqualTo("▁▂▃ █");
    assertThat(Sparkline.of(new double[] {0, 0})).isEqualTo("▁▁");
  }
}
