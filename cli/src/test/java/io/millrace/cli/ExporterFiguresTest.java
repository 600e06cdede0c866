package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExporterFiguresTest {
  @Test
  void sumsUpThePrintedProtocols() {
    String printed =
        """
        Flows expired: 51 (0 forced)
        Flows exported: 51 (85 records) in 3 packets (0 failures)
        Expired flow statistics:  minimum       average       maximum
          Flow bytes:                  40          4199         77252
        Per-protocol statistics:     Octets      Packets   Avg Life    Max Life
                   icmp (1):            280            5       0.34s       0.34s
                    tcp (6):         197138          403       0.97s       2.30s
             ipv6-icmp (58):            408            5       1.74s       4.21s
        """;
    assertThat(ExporterFigures.ofSoftflowd(printed))
        .isEqualTo(new ExporterFigures(85, 413, 197_826));
  }
}
