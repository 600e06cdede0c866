package io.millrace.datasets.csv;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

class AddressReaderPropertyTest {
  private final AddressReader reader = new AddressReader();

  @Property
  void readsWhatIsWritten(@ForAll long high, @ForAll long low) {
    if (!Addresses.isNull(high, low)) {
      assertReads(Addresses.toText(high, low), high, low);
    }
  }

  @Property
  void readsZerosInAnyPlace(@ForAll byte groups) {
    long high = 0;
    long low = 0;
    for (int i = 0; i < 8; i++) {
      high = high << 16 | low >>> 48;
      low = low << 16 | (groups >> i & 1);
    }
    assertReads(Addresses.toText(high, low), high, low);
  }

  @Property
  void readsIntegers(@ForAll long high, @ForAll long low) {
    BigInteger value =
        new BigInteger(Long.toUnsignedString(high))
            .shiftLeft(64)
            .add(new BigInteger(Long.toUnsignedString(low)));
    boolean v4 = high == 0 && low >>> 32 == 0;
    assertReads(value.toString(), high, v4 ? Addresses.V4_PREFIX | low : low);
  }

  @Property
  void readsSmallIntegersAsV4(@ForAll int address) {
    assertReads(Integer.toUnsignedString(address), 0, Addresses.v4Low(address));
  }

  @Property(tries = 20_000)
  void agreesWithTheSystemOnAnyText(
      @ForAll
          @CharRange(from = '0', to = '3')
          @CharRange(from = 'e', to = 'g')
          @CharRange(from = '.', to = '.')
          @CharRange(from = ':', to = ':')
          @StringLength(max = 12)
          String text) {
    // Integers are an extension here, and the JDK accepts groups of more than four digits.
    Assume.that(!text.matches("[0-9]*|.*[0-9a-f]{5}.*"));
    long[] expected = new long[2];
    boolean valid = Addresses.parse(text, expected);
    assertThat(parse(text)).as(text).isEqualTo(valid);
    if (valid) {
      assertThat(reader.high()).as(text).isEqualTo(expected[0]);
      assertThat(reader.low()).as(text).isEqualTo(expected[1]);
    }
  }

  @Example
  void rejectsIntegersThatAreTooLarge() {
    BigInteger end = BigInteger.ONE.shiftLeft(128);
    assertReads(end.subtract(BigInteger.ONE).toString(), -1, -1);
    assertThat(parse(end.toString())).isFalse();
    assertThat(parse("9".repeat(39))).isFalse();
    assertThat(parse("")).isFalse();
    assertThat(parse("-1")).isFalse();
  }

  private void assertReads(String text, long high, long low) {
    assertThat(parse(text)).as(text).isTrue();
    assertThat(reader.high()).as(text).isEqualTo(high);
    assertThat(reader.low()).as(text).isEqualTo(low);
  }

  private boolean parse(String text) {
    byte[] bytes = (" " + text + " ").getBytes(StandardCharsets.UTF_8);
    return reader.parse(bytes, 1, bytes.length - 1);
  }
}
