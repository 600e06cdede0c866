package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class RootCauseTest {
  @Test
  void isTheFirstLineOfTheInnermostMessage() {
    Exception inner = new IOException("disk full\nand more");
    assertThat(RootCause.of(new IllegalStateException("outer", inner))).isEqualTo("disk full");
  }

  @Test
  void ofAFaultInTheCodeSaysWhatAndWhere() {
    assertThat(RootCause.of(new RuntimeException(new IndexOutOfBoundsException("Index 30"))))
        .startsWith("java.lang.IndexOutOfBoundsException: Index 30, at ")
        .contains("RootCauseTest.java:");
  }

  @Test
  void withoutAMessageIsTheKindAndThePlace() {
    assertThat(RootCause.of(new IllegalStateException()))
        .startsWith("java.lang.IllegalStateException, at ")
        .contains("RootCauseTest.java:");
  }
}
