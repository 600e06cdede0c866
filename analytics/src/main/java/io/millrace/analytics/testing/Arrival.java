package io.millrace.analytics.testing;

import io.millrace.analytics.Step;
import io.millrace.wire.block.Block;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

enum Arrival {
  AS_GIVEN,
  /** All of the first input before the second, as if it were read faster. */
  FIRST_INPUT_FIRST,
  SECOND_INPUT_FIRST,
  BACKWARDS,
  SHUFFLED;

  private static final long SEED = 1;

  <A extends Step<O>, O extends Block> List<Event<A, O>> of(List<Event<A, O>> events) {
    List<Event<A, O>> ordered = new ArrayList<>();
    List<Event<A, O>> batch = new ArrayList<>();
    Random random = new Random(SEED);
    for (Event<A, O> event : events) {
      if (event.input() >= 0) {
        batch.add(event);
      } else {
        arrange(batch, random);
        ordered.addAll(batch);
        ordered.add(event);
        batch.clear();
      }
    }
    arrange(batch, random);
    ordered.addAll(batch);
    return ordered;
  }

  private <A extends Step<O>, O extends Block> void arrange(
      List<Event<A, O>> batch, Random random) {
    switch (this) {
      case AS_GIVEN -> {}
      case FIRST_INPUT_FIRST -> batch.sort(Comparator.comparingInt(Event::input));
      case SECOND_INPUT_FIRST ->
          batch.sort(Comparator.comparingInt((Event<A, O> event) -> event.input()).reversed());
      case BACKWARDS -> Collections.reverse(batch);
      case SHUFFLED -> Collections.shuffle(batch, random);
    }
  }
}
