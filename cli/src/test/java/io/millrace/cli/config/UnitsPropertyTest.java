package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class UnitsPropertyTest {
  @Property
  void formattedValuesAreParsedBack(@ForAll @LongRange(min = 0, max = 1L << 50) long value) {
    assertThat(Units.nanos(Units.formatNanos(value))).isEqualTo(value);
    assertThat(Units.bytes(Units.formatBytes(value))).isEqualTo(value);
  }

  @Example
  void fractionsAndSpacesAreUnderstood() {
    assertThat(Units.nanos("1.5s")).isEqualTo(1_500_000_000L);
    assertThat(Units.nanos(" 2 m ")).isEqualTo(120_000_000_000L);
    assertThat(Units.nanos("2w")).isEqualTo(Units.nanos("14d"));
    assertThat(Units.formatNanos(Units.nanos("20y"))).isEqualTo("7300d");
    assertThat(Units.bytes("64MiB")).isEqualTo(64L << 20);
    assertThat(Units.bytes("64mib")).isEqualTo(64L << 20);
    assertThat(Units.bytes("0")).isZero();
  }

  @Example
  void otherTextsAreRejectedWithAReason() {
    assertThatThrownBy(() -> Units.nanos("5")).hasMessageStartingWith("5: missing unit");
    assertThatThrownBy(() -> Units.nanos("5 years")).hasMessageContaining("unknown unit");
    assertThatThrownBy(() -> Units.nanos("soon")).hasMessageContaining("expected a number");
    assertThatThrownBy(() -> Units.bytes("9999999999TiB")).hasMessageContaining("too large");
  }
}
