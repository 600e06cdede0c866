package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.testing.Await;
import org.apache.kafka.clients.admin.Admin;
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
}
