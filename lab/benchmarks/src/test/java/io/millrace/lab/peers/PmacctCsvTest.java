package io.millrace.lab.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PmacctCsvTest {
  private static final String HEADER =
      "IN_IFACE,OUT_IFACE,SRC_IP,DST_IP,SRC_PORT,DST_PORT,PROTOCOL,PACKETS,BYTES\n";

  @TempDir Path dir;

  @Test
  void sumsWholeLinesAndContinuesFromItsPosition() throws IOException {
    Path file = dir.resolve("flows.csv");
    PmacctCsv csv = new PmacctCsv(file);
    assertThat(csv.packets()).isZero();
    append(file, HEADER + "1,2,173.192.82.194,10.0.0.1,80,55181,tcp,9,576\n1,2,2001:db8::1,");
    assertThat(csv.packets()).isEqualTo(9);
    append(file, "2001:db8::2,53,53324,udp,5,96\n" + HEADER);
    assertThat(csv.packets()).isEqualTo(14);
    append(file, "1,2,10.0.0.1,10.0.0.2,443,55317,tcp,60,14850\n");
    assertThat(csv.packets()).isEqualTo(74);
    assertThat(csv.packets()).isEqualTo(74);
  }

  @Test
  void readsFilesLongerThanItsBuffer() throws IOException {
    Path file = dir.resolve("flows.csv");
    int lines = 60_000;
    append(file, HEADER + "1,2,10.0.0.1,10.0.0.2,443,55317,tcp,3,120\n".repeat(lines));
    assertThat(Files.size(file)).isGreaterThan(2L << 20);
    assertThat(new PmacctCsv(file).packets()).isEqualTo(3L * lines);
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
