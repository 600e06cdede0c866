package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AppsOutputTest {
  private final AtomicLong logged = new AtomicLong();
  private final List<List<String>> table = new ArrayList<>();
  private final AppsOutput output = new AppsOutput(sql -> table, logged::get);

  @Test
  void theNewestRowHasTheTimeOfItsLogPosition() throws IOException {
    assertThat(output.newestMicros()).isEqualTo(Long.MIN_VALUE);
    logged.set(100);
    long from = OutputWatch.nowMicros();
    assertThat(output.newestMicros()).as("nothing is visible").isEqualTo(Long.MIN_VALUE);
    long to = OutputWatch.nowMicros();
    logged.set(200);
    table.add(List.of("DNS", "60"));
    table.add(List.of("TLS", "40"));
    assertThat(output.rows()).isEqualTo(100);
    assertThat(output.newestMicros()).isBetween(from, to);
  }
}
