package io.millrace.pipelines.voice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.table.TableReader;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellVolumesTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_700_000_000 * SECOND;

  /** From this time on, cells have other controllers. */
  private static final long REPLACED = START + 10 * SECOND;

  private static final VoiceRules RULES =
      new VoiceRules(SECOND, 300 * SECOND, SECOND, SECOND, 0.9, 0.8, 100, 50);

  private final CellTable before = table("area,cell,controller\n1,10,7\n1,11,7\n2,10,8\n");
  private final CellTable after = table("cell,area,controller\n10,1,8\n11,1,7\n10,2,9\n");

  private static CellTable table(String csv) {
    try {
      return new CellTable.Csv().parse(csv.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private final class ReplacedTable implements TableReader<CellTable> {
    @Override
    public CellTable at(long micros) {
      return micros < REPLACED ? before : after;
    }

    @Override
    public long broken() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /**
   * Controller, last second of the step, bytes and messages, for messages given as "second area
   * cell bytes".
   */
  private List<String> volumes(String... messages) throws Exception {
    TableBlock block = new TableBlock(VoiceRecords.MESSAGES.columnsWithPlace(), messages.length);
    for (int row = 0; row < messages.length; row++) {
      String[] parts = messages[row].split(" ", -1);
      set(block, row, "time", START + Long.parseLong(parts[0]) * SECOND);
      set(block, row, "area", Long.parseLong(parts[1]));
      set(block, row, "cell", Long.parseLong(parts[2]));
      set(block, row, "bytes", Long.parseLong(parts[3]));
    }
    block.rows(messages.length);
    List<String> volumes = new ArrayList<>();
    CellVolumes step = new CellVolumes(RULES, ReplacedTable::new);
    step.open(AnalyzerContext.alone());
    step.process(
        block,
        out -> {
          for (int row = 0; row < out.rows(); row++) {
            volumes.add(
                "%d %d %d %d"
                    .formatted(
                        out.longs(1)[row],
                        (out.longs(0)[row] - START) / SECOND,
                        out.longs(2)[row],
                        out.longs(3)[row]));
          }
        });
    step.close();
    return volumes;
  }

  private static void set(TableBlock block, int row, String column, long value) {
    block.longs(VoiceRecords.MESSAGES.indexOf(column))[row] = value;
  }

  @Test
  void messagesOfAControllerAndStepAreOneRow() throws Exception {
    assertThat(volumes("1 1 10 5", "1 1 11 6", "2 1 10 7", "1 2 10 8"))
        .containsExactlyInAnyOrder("7 1 11 2", "7 2 7 1", "8 1 8 1");
  }

  @Test
  void aMessageBelongsToTheControllerThatItsCellHadAtItsTime() throws Exception {
    assertThat(volumes("9 1 10 1", "10 1 10 2", "9 2 10 4", "10 2 10 8"))
        .containsExactlyInAnyOrder("7 9 1 1", "8 10 2 1", "8 9 4 1", "9 10 8 1");
    assertThat(volumes("11 1 10 1")).containsExactly("8 11 1 1");
  }

  @Test
  void messagesOfUnknownCellsAreLeftOut() throws Exception {
    assertThat(volumes("1 1 12 5", "1 3 10 5")).isEmpty();
    assertThat(volumes("1 1 12 5", "1 2 10 6")).containsExactly("8 1 6 1");
  }

  @Test
  void anInvalidFileIsRejectedWithThePlace() {
    assertThatThrownBy(() -> parse("area,cell,controller\n1,10,7\n1,10,8\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("3");
    assertThatThrownBy(() -> parse("area,cell\n1,10\n")).hasMessageContaining("controller");
    assertThatThrownBy(() -> parse("area,cell,controller\n16777216,10,7\n"))
        .hasMessage("area 16777216 is out of range, expected 0 to 16777215");
  }

  private static CellTable parse(String csv) throws IOException {
    return new CellTable.Csv().parse(csv.getBytes(StandardCharsets.UTF_8));
  }
}
