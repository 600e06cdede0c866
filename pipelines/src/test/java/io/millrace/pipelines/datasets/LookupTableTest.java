package io.millrace.pipelines.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class LookupTableTest {
  private static final LookupTable.Csv CELLS =
      new LookupTable.Csv(
          TableSchema.builder().number("area").number("cell").text("controller").build(),
          List.of("area", "cell"));

  private static LookupTable parse(String... lines) throws IOException {
    return CELLS.parse(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
  }

  private static String controller(LookupTable cells, long area, long cell) {
    int row = cells.find(new KeyBytes().number(area).number(cell));
    return row < 0 ? null : cells.rows().texts(2).get(row);
  }

  @Test
  void findsRowsByTheirKey() throws IOException {
    LookupTable cells =
        parse("controller,ignored,cell,area", "north,x,7,1", "\"south, west\",y,7,2");
    assertThat(controller(cells, 1, 7)).isEqualTo("north");
    assertThat(controller(cells, 2, 7)).isEqualTo("south, west");
    assertThat(controller(cells, 7, 1)).isNull();
    assertThat(cells.rows().rows()).isEqualTo(2);
  }

  @Test
  void saysInOneLineWhatIsWrong() {
    rejected().hasMessage("the file is empty, expected a header line with column names");
    rejected("area,cell").hasMessage("line 1: the column controller is missing");
    rejected("area,cell,controller", "1,2,a", "", "1,x,b")
        .hasMessage("line 4: cell 'x' is not a whole number");
    rejected("area,cell,controller", "1,2,a", "1,3,b", "1,2,c")
        .hasMessage("line 4: same key as line 2");
    rejected("area,cell,controller", "1,2").hasMessage("line 2: missing field controller");
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> rejected(String... lines) {
    return assertThatThrownBy(() -> parse(lines)).isInstanceOf(IOException.class);
  }

  @Test
  void equalWaysShareATable() {
    assertThat(new LookupTable.Csv(CELLS.schema(), List.of("area", "cell"))).isEqualTo(CELLS);
  }
}
