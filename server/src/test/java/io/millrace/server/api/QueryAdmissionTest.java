package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class QueryAdmissionTest {
  private static final int AT_ONCE = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final InetSocketAddress ONE = new InetSocketAddress("192.0.2.1", 1);
  private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.2", 1);

  private final QueryAdmission admission = new QueryAdmission(1_000, 500);
  private final AtomicInteger ended = new AtomicInteger();

  private QueryAdmission.Slot slot(InetSocketAddress client) {
    return admission.admit(client, ended::incrementAndGet);
  }

  private List<QueryAdmission.Slot> asManyAsAreWorkedOn() {
    List<QueryAdmission.Slot> slots = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      slots.add(slot(ONE));
      slots.get(i).resume();
    }
    return slots;
  }

  @Test
  void aClientsNextQueryWaitsUntilAnotherPausesOrEnds() throws InterruptedException {
    List<QueryAdmission.Slot> slots = asManyAsAreWorkedOn();
    AtomicInteger worked = new AtomicInteger();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      QueryAdmission.Slot next = slot(ONE);
      Thread thread =
          new Thread(
              () -> {
                next.resume();
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
    assertThat(slots.get(0).pause()).isTrue();
    slots.get(1).close();
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(worked).hasValue(2);
    assertThat(ended).hasValue(1);
  }

  @Test
  void eachClientMayAlwaysRunOneQuery() throws InterruptedException {
    List<QueryAdmission.Slot> slots = asManyAsAreWorkedOn();
    QueryAdmission.Slot first = slot(OTHER);
    first.resume(); // ends
    QueryAdmission.Slot second = slot(OTHER);
    Thread thread = new Thread(second::resume);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    slots.get(0).close(); // as many are at work as may be: the client itself has to end one
    first.close();
    thread.join();
    assertThat(admission.open()).isEqualTo(AT_ONCE);
  }

  @Test
  void exportsRunOneByOneAndDelayNoQuery() throws InterruptedException {
    QueryAdmission.Slot export = slot(ONE);
    export.resumeExport();
    slot(OTHER).resumeExport(); // of another client
    List<QueryAdmission.Slot> unused = asManyAsAreWorkedOn();
    QueryAdmission.Slot next = slot(ONE);
    Thread thread = new Thread(next::resumeExport);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(export.pause()).isTrue();
    thread.join();
    assertThat(next.pause()).isTrue();
  }

  @Test
  void pausingAWaitingQueryHasNoEffect() {
    QueryAdmission.Slot slot = slot(ONE);
    assertThat(slot.pause()).isFalse();
    slot.close();
    assertThat(admission.open()).isZero();
  }
}
