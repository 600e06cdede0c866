package io.millrace.lab.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewaysBenchmarkIT {
  @TempDir private Path directory;

  /** That all records are in the totals is checked by the benchmark itself. */
  @Test
  void everyRecordIsAddedUpInBothEncodings() throws Exception {
    List<Figure> figures = new ArrayList<>();
    BenchContext all = BenchContext.of(directory, 20_000, 1, figures::add);
    BenchContext context =
        new BenchContext(
            all.directory(),
            all.rows(),
            all.names(),
            all.seconds(),
            10_000,
            all.batches(),
            all.blocks(),
            List.of("encodings"),
            all.seed(),
            all.isFull(),
            all.asn(),
            all.figures(),
            all.lines(),
            all.progress());

    new GatewaysBenchmark().run(context);

    assertThat(figures).hasSize(8).allSatisfy(figure -> assertThat(figure.value()).isPositive());
  }
}
