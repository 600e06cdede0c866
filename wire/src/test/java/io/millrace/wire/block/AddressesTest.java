package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest {
  private static final long[] UNTOUCHED = {42, 43};

  /** The examples of RFC 5952 sections 1, 2 and 4, and the accepted forms of IPv4. */
  @ParameterizedTest
  @CsvSource({
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8::1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8::0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0db8::1:0:0:1, 2001:db8::1:0:0:1",
    "2001:DB8:0:0:1::1, 2001:db8::1:0:0:1",
    "2001:db8:aaaa:bbbb:cccc:dddd::1, 2001:db8:aaaa:bbbb:cccc:dddd:0:1",
    "2001:db8:aaaa:bbbb:cccc:dddd:0:1, 2001:db8:aaaa:bbbb:cccc:dddd:0:1",
    "2001:db8:0:0:0::1, 2001:db8::1",
    "2001:db8:0:0:0:0:2:1, 2001:db8::2:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
    "::192.0.2.33, ::c000:221",
    "1:2:3:4:5:6:192.0.2.33, 1:2:3:4:5:6:c000:221",
    "::ffff:192.0.2.33, 192.0.2.33",
    "::FFFF:C000:221, 192.0.2.33",
    "192.0.2.33, 192.0.2.33",
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
    "010.001.0.09, 10.1.0.9"
  })
  void readsEveryFormAndWritesTheCanonicalOne(String text, String canonical) {
    long[] out = new long[2];

    assertThat(Addresses.parse(text, out)).isTrue();
    assertThat(Addresses.toText(out[0], out[1])).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        ":",
        ":::",
        ".:",
        ":.",
        "::.",
        "1:",
        ":1",
        "1::2::3",
        "1:::2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "12345::",
        "g::",
        "::1%eth0",
        "[::1]",
        "::1 ",
        " ::1",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:1.2.3.4",
        "::1.2.3",
        "::1.2.3.4.5",
        "::1.2.3.256",
        "::1.2.3.4:5",
        "1.2.3.4::",
        "::1.2.3.4::",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "1.2.3.0004",
        "-1.2.3.4",
        "1.2.3.4/24",
        "١::١",
        "１.2.3.4",
        "localhost",
        "example.com",
        "example.com:80",
        "dead.beef:",
        "fe80::1/64",
        "0x1.2.3.4",
        "1:2:3:4:5:6:7:"
      })
  void rejectsWhatIsNoAddress(String text) {
    long[] out = UNTOUCHED.clone();

    assertThat(Addresses.parse(text, out)).isFalse();
    assertThat(out).isEqualTo(UNTOUCHED);
  }

  @Test
  void readsTheLastAddressOfAll() {
    long[] out = new long[2];

    assertThat(Addresses.parse("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", out)).isTrue();
    assertThat(out).containsExactly(-1, -1);
  }

  @Test
  void hasNoTextForNoAddress() {
    assertThat(Addresses.isNull(Addresses.NULL, Addresses.NULL)).isTrue();
    assertThat(Addresses.toText(Addresses.NULL, Addresses.NULL)).isEmpty();
  }

  @Test
  void tellsIpv4FromIpv6() {
    assertThat(Addresses.isV4(0, Addresses.v4Low(-1))).isTrue();
    assertThat(Addresses.isV4(0, Addresses.v4Low(0))).isTrue();
    assertThat(Addresses.isV4(0, 1)).isFalse();
    assertThat(Addresses.isV4(1, Addresses.v4Low(0))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.33, 192.0.2.33",
    "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::",
    "2001:db8:1:2::, 2001:db8:1:2::",
    "fe80::1, fe80::",
    "::1, ::",
  })
  void senderIsAnIpv4AddressOrTheSlash64OfAnIpv6Address(String address, String sender) {
    long[] halves = new long[2];
    assertThat(Addresses.parse(address, halves)).isTrue();
    assertThat(Addresses.toText(halves[0], Addresses.senderLow(halves[0], halves[1])))
        .isEqualTo(sender);
  }
}
