package io.millrace.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.Run;
import io.millrace.pipelines.StoreLink;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.store.Store;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention of replays. */
class ReplaysIT {
  private static final int KEPT = 2;

  @TempDir Path dir;

  @Test
  void theNewestFinishedReplaysKeepTheirTables() throws Exception {
    try (Millrace millrace = new Millrace(Instances.config(dir.resolve("data")))) {
      millrace.start();
      try (Replays replays = replays(millrace, KEPT)) {
        List<String> tables = new ArrayList<>();
        for (int i = 0; i < KEPT + 1; i++) {
          Replay replay = replays.start("flows", Instant.EPOCH, Instant.EPOCH.plusSeconds(1));
          tables.add(replay.name());
          Await.until("its end", () -> replay.state() != Replay.State.RUNNING);
          assertThat(replay.state()).isEqualTo(Replay.State.DONE);
        }
        assertThat(tables.stream().filter(table -> replays.find(table).isPresent()))
            .containsExactlyElementsOf(tables.subList(1, KEPT + 1));
        assertThat(tablesOfReplays(millrace.store()))
            .containsExactlyElementsOf(tables.subList(1, KEPT + 1));
        assertThat(replays.drop(tables.get(1)))
            .containsExactly(
                tables.get(1),
                tables.get(1) + "_device_names",
                tables.get(1) + "_discards",
                tables.get(1) + "_interface_counters",
                tables.get(1) + "_interface_counters_five",
                tables.get(1) + "_nat_events");
        assertThat(replays.drop(tables.get(1))).isEmpty();
        assertThat(replays.find(tables.get(1))).isEmpty();
      }
      try (Replays later = replays(millrace, 1)) { // as after a start
        Replay replay = later.start("flows", Instant.EPOCH, Instant.EPOCH.plusSeconds(1));
        assertThat(tablesOfReplays(millrace.store())).containsExactly(replay.name());
        later.drop(replay.name());
        assertThat(replay.state()).isNotEqualTo(Replay.State.RUNNING);
        assertThat(tablesOfReplays(millrace.store())).isEmpty();
        assertThat(millrace.store().resultTables()).noneMatch(table -> table.startsWith("replay_"));
      }
    }
  }

  private Replays replays(Millrace millrace, int kept) {
    return new Replays(
        millrace.pipelines(),
        Run.live(
            millrace.bootstrapServers(),
            new StoreLink.Local(millrace.data().resolve("store").toString()),
            millrace.config().shared(),
            1),
        millrace.store(),
        millrace.config().job(),
        dir.resolve("replays"),
        kept);
  }

  private static List<String> tablesOfReplays(Store store) {
    return store.tables().stream().filter(name -> !name.equals(Store.FLOWS)).toList();
  }
}
