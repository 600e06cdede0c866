package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeededHashTest {
  private static final long K0 = 0x0706050403020100L;
  private static final long K1 = 0x0F0E0D0C0B0A0908L;

  /** Of an implementation that gives the published value for two rounds and four. */
  @Test
  void isSipHashOfOneRoundAndThree() {
    byte[] message = new byte[20];
    IntStream.range(0, 15).forEach(i -> message[i + 3] = (byte) i);
    assertThat(SeededHash.sip(K0, K1, message, 3, 0)).isEqualTo(0xABAC0158050FC4DCL);
    assertThat(SeededHash.sip(K0, K1, message, 3, 7)).isEqualTo(0xD3927D989BB11140L);
    assertThat(SeededHash.sip(K0, K1, message, 3, 8)).isEqualTo(0x369095118D299A8EL);
    assertThat(SeededHash.sip(K0, K1, message, 3, 15)).isEqualTo(0xD320D86D2A519956L);
  }
}
