package io.millrace.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.Run;
import io.millrace.pipelines.StoreLink;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of replays. */
class ReplaysIT {
  private static final int KEPT = 2;

  @TempDir Path dir;

  @Test
  void ofThoseThatHaveEndedTheNewestAreKnown() throws Exception {
    try (Millrace millrace = new Millrace(Instances.config(dir.resolve("data")))) {
      millrace.start();
      try (Replays replays =
          new Replays(
              millrace.pipelines(),
              Run.live(
                  millrace.bootstrapServers(),
                  new StoreLink.Local(millrace.data().resolve("store").toString()),
                  millrace.config().shared(List.of()),
                  1),
              millrace.store(),
              millrace.config().job(),
              dir.resolve("replays"),
              KEPT)) {
        List<String> tables = new ArrayList<>();
        for (int i = 0; i < KEPT + 2; i++) {
          Replay replay = replays.start("flows", Instant.EPOCH, Instant.EPOCH.plusSeconds(1));
          tables.add(replay.name());
          Await.until("its end", () -> replay.state() != Replay.State.RUNNING);
          assertThat(replay.state()).isEqualTo(Replay.State.DONE);
        }
        assertThat(tables.stream().filter(table -> replays.find(table).isPresent()))
            .containsExactlyElementsOf(tables.subList(2, KEPT + 2));
        assertThat(millrace.store().tables()).containsAll(tables);
      }
    }
  }
}
