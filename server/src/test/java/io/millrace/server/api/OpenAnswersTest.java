package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpenAnswersTest {
  private static final int AT_ONCE = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 1);
  private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 1);

  private final OpenAnswers answers = new OpenAnswers(1_000, 500);
  private final AtomicInteger ended = new AtomicInteger();

  private OpenAnswers.Place place(InetSocketAddress client) {
    return answers.take(client, ended::incrementAndGet);
  }

  private List<OpenAnswers.Place> asManyAsAreWorkedOn() {
    List<OpenAnswers.Place> places = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      places.add(place(ONE));
      places.get(i).work();
    }
    return places;
  }

  @Test
  void ofOneClientTheNextWaitsForAnotherToRestOrEnd() throws InterruptedException {
    List<OpenAnswers.Place> places = asManyAsAreWorkedOn();
    AtomicInteger worked = new AtomicInteger();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      OpenAnswers.Place next = place(ONE);
      Thread thread =
          new Thread(
              () -> {
                next.work();
                worked.incrementAndGet();
              });
      thread.start();
      waiting.add(thread);
    }
    for (Thread thread : waiting) {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    assertThat(worked).hasValue(0);
    assertThat(places.get(0).rest()).isTrue();
    places.get(1).close();
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(worked).hasValue(2);
    assertThat(ended).hasValue(1);
  }

  @Test
  void eachClientHasOneQuestionWorkedOnWhateverOthersAsk() throws InterruptedException {
    List<OpenAnswers.Place> places = asManyAsAreWorkedOn();
    OpenAnswers.Place first = place(OTHER);
    first.work(); // ends
    OpenAnswers.Place second = place(OTHER);
    Thread thread = new Thread(second::work);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    places.get(0).close(); // as many are at work as may be: the client itself has to end one
    first.close();
    thread.join();
    assertThat(answers.open()).isEqualTo(AT_ONCE);
  }

  @Test
  void whoDoesNotWorkRestsWithoutAnEffect() {
    OpenAnswers.Place place = place(ONE);
    assertThat(place.rest()).isFalse();
    place.close();
    assertThat(answers.open()).isZero();
  }
}
