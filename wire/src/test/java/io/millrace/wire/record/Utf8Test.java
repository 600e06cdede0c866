package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Utf8Test {
  @Test
  void controlsAreThoseThatJavaHas() {
    for (int c = 0; c <= 0xFFFF; c++) {
      if (!Character.isSurrogate((char) c)) {
        byte[] bytes = ("ab" + (char) c + "é").getBytes(StandardCharsets.UTF_8);
        assertThat(Utf8.hasControls(bytes, 1, bytes.length - 1))
            .as("U+%04X", c)
            .isEqualTo(Character.isISOControl(c));
        byte[] words = ("abcd~ fg" + (char) c + "hijklmn").getBytes(StandardCharsets.UTF_8);
        for (int start = 0; start < 9; start++) {
          assertThat(Utf8.hasControls(words, start, words.length - start))
              .as("U+%04X from %d", c, start)
              .isEqualTo(Character.isISOControl(c));
        }
      }
    }
    assertThat(Utf8.hasControls(new byte[] {'\n', 'a', '\n'}, 1, 1)).isFalse();
  }
}
