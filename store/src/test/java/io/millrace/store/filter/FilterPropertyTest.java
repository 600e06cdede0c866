package io.millrace.store.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Flows;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class FilterPropertyTest {
  @Property
  void aPrintedFilterParsesToTheSame(@ForAll long seed) {
    Filter filter = new RandomFilters(seed).filter(4);
    String text = FilterPrinter.print(filter);
    assertThat(FilterParser.parse(text, Flows.SCHEMA)).as(text).isEqualTo(filter);
  }

  /** Any text is a filter or is rejected with a position in it. */
  @Property
  void anyOtherTextIsRejected(@ForAll String text) {
    readOrRejected(text);
  }

  @Property
  void aDamagedFilterIsParsedOrRejected(@ForAll long seed, @ForAll int at, @ForAll char other) {
    String text = FilterPrinter.print(new RandomFilters(seed).filter(2));
    int hole = Math.floorMod(at, text.length());
    readOrRejected(text.substring(0, hole) + other + text.substring(hole + 1));
    readOrRejected(text.substring(0, hole));
  }

  @Example
  void nestingIsBounded() {
    readOrRejected("(".repeat(30_000));
    readOrRejected("not ".repeat(16_000));
    readOrRejected("any and ".repeat(8_000) + "any");
  }

  private static void readOrRejected(String text) {
    try {
      assertThat(FilterParser.parse(text, Flows.SCHEMA)).isNotNull();
    } catch (FilterException e) {
      assertThat(e.position()).isBetween(0, text.length());
      assertThat(e.getMessage()).contains("\nLINE ").endsWith("^");
    }
  }
}
