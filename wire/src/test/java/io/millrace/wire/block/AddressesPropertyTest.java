package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class AddressesPropertyTest {
  @Property
  void textReadsBackAsTheSameAddress(@ForAll("halves") long high, @ForAll("halves") long low) {
    Assume.that(!Addresses.isNull(high, low));
    long[] out = new long[2];

    assertThat(Addresses.parse(Addresses.toText(high, low), out)).isTrue();
    assertThat(out).containsExactly(high, low);
  }

  @Property
  void ipv4ReadsBackAsTheSameAddress(@ForAll int address) {
    long[] out = new long[2];

    assertThat(Addresses.parse(Addresses.toText(0, Addresses.v4Low(address)), out)).isTrue();
    assertThat(out).containsExactly(0, Addresses.v4Low(address));
  }

  @Property
  void textMeansTheSameToTheJdk(@ForAll("halves") long high, @ForAll("halves") long low)
      throws UnknownHostException {
    Assume.that(!Addresses.isNull(high, low));
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();

    assertThat(InetAddress.getByName(Addresses.toText(high, low)))
        .isEqualTo(InetAddress.getByAddress(bytes));
  }

  @Property
  void takesTheTextOfTheJdk(@ForAll("halves") long high, @ForAll("halves") long low)
      throws UnknownHostException {
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    long[] out = new long[2];

    assertThat(Addresses.parse(InetAddress.getByAddress(bytes).getHostAddress(), out)).isTrue();
    assertThat(out).containsExactly(high, low);
  }

  @Property
  void agreesWithTheJdkOnWhatIsAnIpv6Address(@ForAll("nearlyIpv6") String text) {
    // The JDK accepts groups with more than the four digits of RFC 4291 if the first are zeros.
    Assume.that(!text.matches(".*0[0-9a-f]{4}.*"));
    long[] out = new long[2];

    boolean ours = Addresses.parse(text, out);

    byte[] theirs = null;
    try {
      theirs =
          InetAddress.getByName(text).getAddress(); // a leading colon: never parsed as a host name
    } catch (UnknownHostException e) {
      // not an address
    }
    assertThat(ours).as(text).isEqualTo(theirs != null);
    if (theirs != null) {
      byte[] bytes = ByteBuffer.allocate(16).putLong(out[0]).putLong(out[1]).array();
      assertThat(Arrays.copyOfRange(bytes, 16 - theirs.length, 16)).isEqualTo(theirs);
    }
  }

  /** Zero groups are likely, so that shortening is tested. */
  @Provide
  Arbitrary<Long> halves() {
    return Arbitraries.of(0, 0, 0, 1, 0xFF, 0x1000, 0xFFFF)
        .list()
        .ofSize(4)
        .map(groups -> groups.stream().mapToLong(g -> g).reduce(0, (a, g) -> a << 16 | g));
  }

  @Provide
  Arbitrary<String> nearlyIpv6() {
    return Arbitraries.of(":", ":", "::", "0", "1:", "a:", "ffff:", "12345", "1.2.3.4", ".", "0:")
        .list()
        .ofMaxSize(9)
        .map(parts -> ":" + String.join("", parts));
  }
}
