package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Addresses;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixRatesTest {
  @Test
  void theLongestPrefixCounts() {
    PrefixRates rates =
        PrefixRates.of(
            Map.of("10.0.0.0/8", 8L, "10.1.0.0/16", 16L, "10.1.2.3", 32L, "10.1.2.0/24", 24L));
    assertThat(rate(rates, "10.1.2.3")).isEqualTo(32);
    assertThat(rate(rates, "10.1.2.4")).isEqualTo(24);
    assertThat(rate(rates, "10.1.3.4")).isEqualTo(16);
    assertThat(rate(rates, "10.2.3.4")).isEqualTo(8);
    assertThat(rate(rates, "11.0.0.0")).isZero();
  }

  @Test
  void bothFamiliesKeepApart() {
    PrefixRates rates =
        PrefixRates.of(Map.of("0.0.0.0/0", 4L, "2001:db8::/32", 6L, "2001:db8:0:0:8000::/65", 7L));
    assertThat(rate(rates, "255.255.255.255")).isEqualTo(4);
    assertThat(rate(rates, "2001:db8::1")).isEqualTo(6);
    assertThat(rate(rates, "2001:db8::8000:0:0:1")).isEqualTo(7);
    assertThat(rate(rates, "2001:db9::1")).isZero();
  }

  @Test
  void aPrefixOfNoBitsHoldsAll() {
    PrefixRates rates = PrefixRates.of(Map.of("::/0", 9L));
    assertThat(rate(rates, "2001:db8::1")).isEqualTo(9);
    assertThat(rate(rates, "::")).isEqualTo(9);
  }

  @Test
  void hostBitsDoNotMatter() {
    assertThat(rate(PrefixRates.of(Map.of("192.0.2.77/24", 5L)), "192.0.2.1")).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/x",
        "10.0.0/8",
        "::/129",
        "2001:db8::/32/1",
        "router1"
      })
  void badTextsAreNamed(String text) {
    assertThatThrownBy(() -> PrefixRates.of(Map.of(text, 1L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("sampling." + text + ": ");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1L << 31, Long.MIN_VALUE})
  void badRatesAreNamed(long rate) {
    assertThatThrownBy(() -> PrefixRates.of(Map.of("::/0", rate)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rate + " is not a rate");
  }

  private static int rate(PrefixRates rates, String text) {
    long[] address = new long[2];
    assertThat(Addresses.parse(text, address)).isTrue();
    return rates.rate(address[0], address[1]);
  }
}
