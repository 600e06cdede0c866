package io.millrace.wire.goflow2;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.JoinedColumn.Kind;
import io.millrace.wire.message.OutputColumns;
import io.millrace.wire.message.OutputColumns.AddedColumn;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowMessageSchemaTest {
  private static final OutputColumns COLUMNS =
      OutputColumns.all(
          List.of(
              new AddedColumn("src_as", Kind.NUMBER),
              new AddedColumn("src_as_name", Kind.TEXT),
              new AddedColumn("src_site", Kind.TEXT),
              new AddedColumn("dst_site", Kind.TEXT)));

  @Test
  void fieldsHaveGoFlow2sNumbersAndOursComeAbove() {
    assertThat(new FlowMessageSchema(COLUMNS).proto())
        .contains("  bytes src_addr = 6;\n", "  uint64 bytes = 9;\n", "  uint32 src_as = 14;\n")
        .contains("  uint64 sampling_rate = 3;\n", "  repeated uint32 mpls_label = 81;\n")
        .contains("  uint32 icmp_type = 31;\n", "  uint64 time_received_ns = 110;\n")
        .contains("  string src_as_name = 2020;\n", "  uint32 exporter_src_as = 2002;\n")
        .contains("  string src_site = 2100;\n", "  string dst_site = 2101;\n")
        .contains("  uint64 log_offset = 2011;\n");
  }

  @Test
  void numbersAreUsedOnce() {
    List<Integer> numbers =
        FlowMessageFields.of(COLUMNS).stream().map(FlowMessageFields.Field::number).toList();
    assertThat(numbers).doesNotHaveDuplicates().hasSizeGreaterThan(40);
  }
}
