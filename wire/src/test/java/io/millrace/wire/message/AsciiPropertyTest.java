package io.millrace.wire.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class AsciiPropertyTest {
  private final byte[] bytes = new byte[64];

  private String text(int end) {
    return new String(bytes, 3, end - 3, StandardCharsets.US_ASCII);
  }

  @Property
  void numbersAreWhatJavaMakesOfThem(
      @ForAll @LongRange long value, @ForAll @IntRange(max = 62) int shift) {
    long number = (value & Long.MAX_VALUE) >>> shift;
    assertThat(text(Ascii.decimal(bytes, 3, number))).isEqualTo(Long.toString(number));
  }

  @Test
  void powersOfTenAreNotCutShort() {
    for (long power = 1; power > 0 && power <= 1_000_000_000_000_000_000L; power *= 10) {
      assertThat(text(Ascii.decimal(bytes, 3, power))).isEqualTo(Long.toString(power));
      assertThat(text(Ascii.decimal(bytes, 3, power - 1))).isEqualTo(Long.toString(power - 1));
      if (power == 1_000_000_000_000_000_000L) {
        break;
      }
    }
    assertThat(text(Ascii.decimal(bytes, 3, Long.MAX_VALUE)))
        .isEqualTo(Long.toString(Long.MAX_VALUE));
  }

  @Property
  void addressesAreAsEverywhere(@ForAll int v4, @ForAll long high, @ForAll long low) {
    assertThat(text(Ascii.address(bytes, 3, 0, Addresses.v4Low(v4))))
        .isEqualTo(Addresses.toText(0, Addresses.v4Low(v4)));
    assertThat(text(Ascii.address(bytes, 3, high, low))).isEqualTo(Addresses.toText(high, low));
  }

  @Test
  void macAddressesAreSixPairs() {
    assertThat(text(Ascii.mac(bytes, 3, 0x00A0_B1C2_D3E4L))).isEqualTo("00:a0:b1:c2:d3:e4");
  }

  @Property
  void varintsAreAsLongAsTheySay(@ForAll long value) {
    assertThat(Varint.put(bytes, 3, value) - 3).isEqualTo(Varint.length(value));
  }
}
