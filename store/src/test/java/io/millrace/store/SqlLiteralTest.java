package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.junit.jupiter.api.Test;

class SqlLiteralTest {
  @Test
  void writesValuesAsSqlDoes() {
    assertThat(SqlLiteral.of(null)).isEqualTo("NULL");
    assertThat(SqlLiteral.of(true)).isEqualTo("TRUE");
    assertThat(SqlLiteral.of(7L)).isEqualTo("7");
    assertThat(SqlLiteral.of(new BigInteger("18446744073709551615")))
        .isEqualTo("18446744073709551615");
    assertThat(SqlLiteral.of(new BigDecimal("1E+3"))).isEqualTo("1000");
    assertThat(SqlLiteral.of("it's")).isEqualTo("'it''s'");
    assertThat(SqlLiteral.of(new byte[] {0, -1})).isEqualTo("from_hex('00ff')");
    assertThat(SqlLiteral.of(LocalDate.of(2026, 1, 2))).isEqualTo("DATE '2026-01-02'");
    assertThat(SqlLiteral.of(LocalTime.of(1, 2, 3, 4_000))).isEqualTo("TIME '01:02:03.000004'");
    assertThat(SqlLiteral.of(LocalDateTime.of(2026, 1, 2, 3, 4)))
        .isEqualTo("TIMESTAMP '2026-01-02 03:04:00'");
  }

  @Test
  void aSignDoesNotMergeWithThePrecedingOne() {
    assertThat("1 -" + SqlLiteral.of(-5)).isEqualTo("1 -(-5)");
    assertThat(SqlLiteral.of(-0.5)).isEqualTo("('-0.5'::DOUBLE)");
    assertThat(SqlLiteral.of(Double.NaN)).isEqualTo("('NaN'::DOUBLE)");
  }

  @Test
  void rejectsWhatHasNoLiteral() {
    assertThatThrownBy(() -> SqlLiteral.of(new Object()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Object");
  }
}
