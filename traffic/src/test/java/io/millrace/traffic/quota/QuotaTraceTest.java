package io.millrace.traffic.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QuotaTraceTest {
  private static final int RECORDS = 200_000;
  private static final long START = 1_700_000_000_000_000L;

  @Test
  void sharesAreThoseThatArePublished() {
    QuotaTrace trace = new QuotaTrace(10_000, START, 1_000, 1);
    Set<Long> subscribers = new HashSet<>();
    int usage = 0;
    int high = 0;
    int over = 0;
    int allUsed = 0;
    long newest = Long.MIN_VALUE;
    int disordered = 0;
    for (int i = 0; i < RECORDS; i++) {
      trace.next();
      subscribers.add(trace.msisdn());
      assertThat(trace.time()).isBetween(START + i * 1_000L, START + i * 1_000L + 100_000);
      disordered += trace.time() < newest ? 1 : 0;
      newest = Math.max(newest, trace.time());
      if (trace.isUsage()) {
        usage++;
        high += trace.used() * 100 >= QuotaTrace.LIMIT * 90 ? 1 : 0;
        over += trace.used() >= QuotaTrace.LIMIT ? 1 : 0;
        allUsed += trace.granted() > 0 && trace.complimentaryUsed() >= trace.granted() ? 1 : 0;
      }
    }
    assertThat(usage).isCloseTo((int) (RECORDS * 0.59), withPercentage(2));
    assertThat(high).isCloseTo(usage / 5, withPercentage(5));
    assertThat(over).isCloseTo(high / 2, withPercentage(10));
    assertThat(allUsed).isCloseTo(high / 5, withPercentage(10));
    assertThat(subscribers).hasSize(10_000).allMatch(each -> each / 1_000_000_000 == 999);
    assertThat(disordered).isGreaterThan(RECORDS / 2);
  }

  @Test
  void sameSettingsMakeTheSameRecords() {
    QuotaTrace first = new QuotaTrace(100, START, 10, 7);
    QuotaTrace second = new QuotaTrace(100, START, 10, 7);
    for (int i = 0; i < 1_000; i++) {
      first.next();
      second.next();
      assertThat(second.msisdn()).isEqualTo(first.msisdn());
      assertThat(second.time()).isEqualTo(first.time());
      assertThat(second.isUsage()).isEqualTo(first.isUsage());
    }
  }

  @Test
  void rejectsNoSubscribers() {
    assertThatThrownBy(() -> new QuotaTrace(0, START, 1, 1))
        .hasMessage("subscribers: 0, expected 1 to 100000000");
  }
}
