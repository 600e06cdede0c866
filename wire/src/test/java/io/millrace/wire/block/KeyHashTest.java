package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyHashTest {
  private static final int KEYS = 1 << 14;
  private static final int SLOTS = 1 << 10;
  private static final long K0 = 0x0706050403020100L;
  private static final long K1 = 0x0F0E0D0C0B0A0908L;

  /** Number of keys in the fullest slot; the average is 16. */
  private static int fullest(IntToLongFunction hash) {
    int[] slots = new int[SLOTS];
    int max = 0;
    for (int i = 0; i < KEYS; i++) {
      max = Math.max(max, ++slots[(int) hash.applyAsLong(i) & SLOTS - 1]);
    }
    return max;
  }

  /** Computed by an implementation that gives the published value for two and four rounds. */
  @Test
  void isSipHashOfOneRoundAndThree() {
    byte[] message = new byte[20];
    IntStream.range(0, 15).forEach(i -> message[i + 3] = (byte) i);
    assertThat(KeyHash.sip(K0, K1, message, 3, 0)).isEqualTo(0xABAC0158050FC4DCL);
    assertThat(KeyHash.sip(K0, K1, message, 3, 7)).isEqualTo(0xD3927D989BB11140L);
    assertThat(KeyHash.sip(K0, K1, message, 3, 8)).isEqualTo(0x369095118D299A8EL);
    assertThat(KeyHash.sip(K0, K1, message, 3, 15)).isEqualTo(0xD320D86D2A519956L);
  }

  @Test
  void twoNumbersAreTheirSixteenBytes() {
    byte[] bytes = new byte[16];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(K0).putLong(-K1);
    assertThat(KeyHash.sip(K0, K1, K0, -K1)).isEqualTo(KeyHash.sip(K0, K1, bytes, 0, 16));
  }

  @Test
  void keysThatDifferInFewBitsAreSpread() {
    for (int shift = 0; shift <= 50; shift++) {
      int s = shift;
      assertThat(fullest(i -> KeyHash.of((long) i << s))).as("from bit %d on", s).isLessThan(64);
      assertThat(fullest(i -> KeyHash.of((long) i << s, 1))).isLessThan(64);
      assertThat(fullest(i -> KeyHash.of(1, (long) i << s))).isLessThan(64);
    }
  }

  /** A weighted sum of the two numbers is the same, as many hash tables use it. */
  @Test
  void keysChosenForOneSumAreSpread() {
    for (long factor : new long[] {31, 0x9E37_79B9_7F4A_7C15L}) {
      assertThat(fullest(i -> KeyHash.of(i, -factor * i))).isLessThan(64);
    }
  }

  /** "Aa" and "BB" have the same hash code in Java, and so have all combinations of them. */
  @Test
  void textsThatJavaTakesForOneAreSpread() {
    String[] texts = new String[KEYS];
    for (int i = 0; i < KEYS; i++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 14; bit++) {
        text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      texts[i] = text.toString();
      assertThat(texts[i].hashCode()).isEqualTo(texts[0].hashCode());
    }
    assertThat(
            fullest(
                i -> {
                  byte[] bytes = texts[i].getBytes(StandardCharsets.US_ASCII);
                  return KeyHash.of(bytes, 0, bytes.length);
                }))
        .isLessThan(64);
  }

  @Test
  void bytesHaveOneHashWhereverTheyStand() {
    byte[] text = "xx one.example.net".getBytes(StandardCharsets.US_ASCII);
    byte[] same = "one.example.net yy".getBytes(StandardCharsets.US_ASCII);
    Map<Long, Integer> lengths = new HashMap<>();
    for (int length = 0; length <= 15; length++) {
      long hash = KeyHash.of(text, 3, 3 + length);
      assertThat(hash).isEqualTo(KeyHash.of(same, 0, length));
      assertThat(lengths.put(hash, length)).isNull();
    }
  }
}
