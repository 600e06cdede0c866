package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.PacketReject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferencePagesTest {
  @Test
  void eachReasonStandsOnThePage() throws IOException {
    String page = Files.readString(Path.of("../docs/reference/rejects.md"));
    for (RejectReason reason : RejectReason.values()) {
      assertThat(page).contains("| `" + reason.label() + "` |");
    }
    String packets = page.substring(page.indexOf("## Packets"));
    for (PacketReject reason : PacketReject.values()) {
      assertThat(packets).contains("| `" + reason.label() + "` |");
    }
  }

  @Test
  void eachColumnStandsOnThePageOfTables() throws IOException {
    String page = Files.readString(Path.of("../docs/reference/tables.md"));
    for (FlowColumn column : FlowColumn.ALL) {
      assertThat(page).contains("| `" + column.columnName() + "` |");
      assertThat(page).contains(column.summary());
    }
  }
}
