package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Lengths;
import org.junit.jupiter.api.Test;

class KeyBytesTest {
  @Test
  void holdsPartsOfAnyLength() {
    KeyBytes key = new KeyBytes();
    for (int parts = 1; parts < 100; parts++) {
      key.clear();
      for (int part = 0; part < parts; part++) {
        key.number(part).address(-part, part).text("x".repeat(part));
      }
      for (int part = 0; part < parts; part++) {
        assertThat(key.takeNumber()).isEqualTo(part);
        assertThat(key.takeNumber()).isEqualTo(-part);
        assertThat(key.takeNumber()).isEqualTo(part);
        assertThat(key.takeText()).hasSize(part);
      }
    }
  }

  @Test
  void isSetToKeysOfAnyLength() {
    for (int length : Lengths.around()) {
      byte[] source = Lengths.bytes(length);
      KeyBytes key = new KeyBytes();
      key.set(source, 0, length);
      assertThat(key.toBytes()).isEqualTo(source);
    }
  }
}
