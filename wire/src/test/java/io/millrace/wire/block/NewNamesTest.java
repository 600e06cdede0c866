package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NewNamesTest {
  @Test
  void keepsTextsInTheOrderInWhichTheyCame() {
    NewNames names = new NewNames();
    for (int i = 0; i < 100; i++) {
      byte[] text = ("<müll-" + i + ">").getBytes(StandardCharsets.UTF_8);
      names.add(1000L - i, text, 1, text.length - 2);
    }

    assertThat(names.size()).isEqualTo(100);
    for (int i = 0; i < 100; i++) {
      assertThat(names.id(i)).isEqualTo(1000L - i);
      assertThat(names.text(i)).isEqualTo("müll-" + i);
      assertThat(new String(names.bytes(), names.start(i), names.length(i), StandardCharsets.UTF_8))
          .isEqualTo("müll-" + i);
    }
  }

  @Test
  void takesTextsLongerThanItsRoomAndEmptyOnes() {
    NewNames names = new NewNames();
    names.add(1, new byte[10_000], 0, 10_000);
    names.add(2, new byte[0], 0, 0);

    assertThat(names.length(0)).isEqualTo(10_000);
    assertThat(names.text(1)).isEmpty();
  }

  @Test
  void isReusableAfterClear() {
    NewNames names = new NewNames();
    names.add(1, new byte[] {'a'}, 0, 1);
    names.clear();
    names.add(2, new byte[] {'b'}, 0, 1);

    assertThat(names.size()).isEqualTo(1);
    assertThat(names.text(0)).isEqualTo("b");
  }
}
