package io.millrace.lab.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewaysBenchmarkIT {
  @TempDir private Path directory;

  /** The benchmark itself checks that all records are in the totals. */
  @Test
  void sumsEveryRecordInBothEncodings() throws Exception {
    List<Figure> figures = new ArrayList<>();
    String[] options = {
      "--rows", "20k", "--seconds", "1", "--rate", "10000", "--case", "encodings"
    };
    Options.of(new GatewaysBenchmark(), options).run(BenchContext.of(directory, figures::add));

    assertThat(figures).hasSize(10).allSatisfy(figure -> assertThat(figure.value()).isPositive());
  }
}
