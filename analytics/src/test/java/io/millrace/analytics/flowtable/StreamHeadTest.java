package io.millrace.analytics.flowtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StreamHeadTest {
  private static final int MAX_BYTES = 4_096;

  private final HeadMemory memory = new HeadMemory(1 << 20);

  @Test
  void segmentsInAnyOrderAndRepeatedGiveTheStream() {
    Random random = new Random(3);
    byte[] stream = new byte[3_000];
    random.nextBytes(stream);
    for (int turn = 0; turn < 200; turn++) {
      int first = random.nextInt(); // sequence numbers wrap
      StreamHead head = new StreamHead(MAX_BYTES, memory);
      head.begin(first);
      List<int[]> segments = new ArrayList<>();
      for (int at = 0; at < stream.length; ) {
        int end = Math.min(stream.length, at + 1 + random.nextInt(700));
        segments.add(new int[] {Math.max(0, at - random.nextInt(20)), end});
        at = end;
      }
      for (int i = 0; i + 1 < segments.size(); i += 2) {
        Collections.swap(segments, i, i + 1);
      }
      int inOrder = 0;
      for (int[] segment : segments) {
        inOrder += head.add(first + segment[0], stream, segment[0], segment[1]);
      }
      assertThat(inOrder).isEqualTo(stream.length);
      assertThat(Arrays.copyOf(head.bytes(), head.length())).isEqualTo(stream);
      head.close();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void keepsToItsMaximumAndReportsThatItIsFull() {
    StreamHead head = new StreamHead(MAX_BYTES, memory);
    byte[] bytes = new byte[1_000];
    for (int i = 0; i < 10; i++) {
      head.add(i * 1_000, bytes, 0, 1_000);
    }
    assertThat(head.length()).isEqualTo(MAX_BYTES);
    assertThat(head.isFull()).isTrue();
    assertThat(memory.usedBytes()).isLessThanOrEqualTo(2 * MAX_BYTES);
  }

  @Test
  void aGapThatStaysEndsIt() {
    StreamHead head = new StreamHead(MAX_BYTES, memory);
    head.begin(0);
    byte[] bytes = new byte[100];
    for (int i = 1; i <= 9; i++) {
      assertThat(head.add(i * 100, bytes, 0, 100)).isZero();
    }
    assertThat(head.isFull()).isTrue();
    head.close();
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void withoutMemoryNothingIsKept() {
    HeadMemory little = new HeadMemory(1_000);
    StreamHead head = new StreamHead(MAX_BYTES, little);
    assertThat(head.add(0, new byte[500], 0, 500)).isZero();
    assertThat(head.isFull()).isTrue();
    assertThat(little.dropped()).isEqualTo(1);
  }
}
