package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.SharedLog;
import io.millrace.testing.Await;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedLog.class)
class LogTopicsIT {
  @Test
  void aTopicIsThereUntilItIsDeleted() throws Exception {
    LogTopics topics = new LogTopics(SharedLog.log(), SharedLog.CONFIG);
    String name = SharedLog.newName();
    topics.delete(name); // of one that does not exist
    assertThat(topics.ensure(name).created()).isTrue();
    assertThat(topics.ensure(name).created()).isFalse();
    topics.delete(name);
    try (Admin admin = LogClients.admin(SharedLog.bootstrapServers())) {
      Await.until("it to be gone", () -> !admin.listTopics().names().get().contains(name));
    }
  }

  /** A broker that has just started does not list itself for a moment; the controller says so. */
  @Test
  void aRequestIsRepeatedUntilThereIsABroker() throws Exception {
    try (Admin admin = LogClients.admin(SharedLog.bootstrapServers())) {
      AtomicInteger brokers = new AtomicInteger();
      String name = SharedLog.newName();
      Object created =
          LogTopics.repeated(
              () ->
                  admin
                      .createTopics(
                          List.of(new NewTopic(name, 1, (short) brokers.getAndIncrement())))
                      .all()
                      .get());
      assertThat(created).isNull(); // no error
      assertThat(brokers).hasValue(2);
    }
  }

  @Test
  void aRequestWithAnotherErrorIsNotRepeated() {
    try (Admin admin = LogClients.admin(SharedLog.bootstrapServers())) {
      AtomicInteger sent = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  LogTopics.repeated(
                      () -> {
                        sent.incrementAndGet();
                        NewTopic topic = new NewTopic("not a name", 1, (short) 1);
                        return admin.createTopics(List.of(topic)).all().get();
                      }))
          .hasCauseInstanceOf(InvalidTopicException.class);
      assertThat(sent).hasValue(1);
    }
  }
}
