package io.millrace.store.duckdb.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** The map has the same entries as a HashMap. */
class LongMapPropertyTest {
  @Property
  void equalsAHashMap(@ForAll @Size(max = 300) List<@LongRange(min = -100, max = 100) Long> keys) {
    LongMap map = new LongMap(4);
    Map<Long, Long> expected = new HashMap<>();
    long value = 0;
    for (long key : keys) {
      map = map.with(key, value);
      expected.put(key, value++);
    }
    assertThat(map.size()).isEqualTo(expected.size());
    for (long key = -101; key <= 101; key++) {
      assertThat(map.get(key, LongMap.NONE)).isEqualTo(expected.getOrDefault(key, LongMap.NONE));
    }
  }
}
