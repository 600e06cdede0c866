package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpenResponsesTest {
  private static final int AT_ONCE = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 1);
  private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 1);

  private final OpenResponses responses = new OpenResponses(1_000, 500);
  private final AtomicInteger ended = new AtomicInteger();

  private OpenResponses.Place place(InetSocketAddress client) {
    return responses.take(client, ended::incrementAndGet);
  }

  private List<OpenResponses.Place> asManyAsAreWorkedOn() {
    List<OpenResponses.Place> places = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      places.add(place(ONE));
      places.get(i).work();
    }
    return places;
  }

  @Test
  void ofOneClientTheNextWaitsForAnotherToRestOrEnd() throws InterruptedException {
    List<OpenResponses.Place> places = asManyAsAreWorkedOn();
    AtomicInteger worked = new AtomicInteger();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      OpenResponses.Place next = place(ONE);
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
    List<OpenResponses.Place> places = asManyAsAreWorkedOn();
    OpenResponses.Place first = place(OTHER);
    first.work(); // ends
    OpenResponses.Place second = place(OTHER);
    Thread thread = new Thread(second::work);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    places.get(0).close(); // as many are at work as may be: the client itself has to end one
    first.close();
    thread.join();
    assertThat(responses.open()).isEqualTo(AT_ONCE);
  }

  @Test
  void whoDoesNotWorkRestsWithoutAnEffect() {
    OpenResponses.Place place = place(ONE);
    assertThat(place.rest()).isFalse();
    place.close();
    assertThat(responses.open()).isZero();
  }
}
