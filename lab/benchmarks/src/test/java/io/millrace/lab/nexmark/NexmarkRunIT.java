package io.millrace.lab.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queries as jobs of two subtasks, with the exchange between them. */
class NexmarkRunIT {
  private static final long SEED = 5;
  private static final int BATCHES = 30;

  @TempDir Path directory;

  @Test
  void jobsReturnWhatJavaMapsReturn() {
    NexmarkGenerator generator = new NexmarkGenerator(SEED);
    try (NexmarkRun run = new NexmarkRun(directory, SEED)) {
      JoinCheck join = new JoinCheck();
      run.run(NexmarkQuery.Q13, BATCHES, join);
      join.check(generator, BATCHES);

      TopBidsCheck top = new TopBidsCheck();
      Delivery delivery = run.run(NexmarkQuery.Q19, BATCHES, top);
      top.check(generator, BATCHES);
      assertThat(delivery.seconds()).isPositive();
      assertThat(delivery.cpuSeconds()).isPositive();

      InsertCounter inserts = new InsertCounter(NexmarkQuery.Q19);
      run.run(NexmarkQuery.Q19, BATCHES, inserts);
      assertThat(inserts.count()).isEqualTo(TopBidsCheck.ranks(generator, BATCHES));
    }
  }
}
