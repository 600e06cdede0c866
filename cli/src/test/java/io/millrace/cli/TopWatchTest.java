package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TopWatchTest {
  private static final String ANSWER =
      """
      {"columns": ["dst_as"], "metric": "bytes", "total": 10, "seconds": 10.0, "estimated": false,
       "note": "one row",
       "rows": [{"values": ["AS64500"], "volume": 10, "flows": 1, "bound": 0}]}
      """;

  @Test
  void watchRepeatsUntilItIsStopped() throws Exception {
    try (StubInstance instance = new StubInstance(200, ANSWER)) {
      CompletableFuture<CommandLineRun> ended = new CompletableFuture<>();
      Thread watching =
          new Thread(
              () ->
                  ended.complete(instance.run("top", "dst_as", "--watch", "1", "--format", "tsv")),
              "top-watch");
      watching.start();
      // The third request shows that the second response was printed; the stop may interrupt the
      // third.
      Await.until("it has asked three times", () -> instance.requests().size() >= 3);
      Await.until(
          "it has ended",
          () -> {
            watching.interrupt(); // the HTTP client forgets one that comes while it reads a body
            return ended.isDone();
          });
      CommandLineRun run = ended.get();
      assertThat(run.status()).isZero();
      assertThat(run.err()).isEmpty();
      assertThat(run.out().split("AS64500", -1)).as("printed each time").hasSizeGreaterThan(2);
      assertThat(instance.requests())
          .allMatch("GET /api/v1/top?by=dst_as&metric=bytes&n=10"::equals);
    }
  }

  @Test
  void aRejectionEndsTheWatchAndAPauseOfZeroIsRejected() throws IOException {
    try (StubInstance instance =
        new StubInstance(400, "{\"error\": {\"message\": \"no such dimension\"}}")) {
      CommandLineRun run = instance.run("top", "nothing", "--watch", "1");
      assertThat(run.status()).isNotZero();
      assertThat(run.err()).contains("no such dimension");
      assertThat(instance.requests()).hasSize(1);
      assertThat(instance.run("top", "as", "--watch", "0").err()).contains("at least 1 second");
    }
  }
}
