package io.millrace.analytics.ads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ViewCountsTest {
  private static final long WINDOW = 10_000_000;
  private static final long START = 1_700_000_000_000_000L;

  private final Map<String, String> known = new TreeMap<>(Map.of("x", "c1", "y", "c1", "z", "c2"));
  private final List<List<String>> asked = new ArrayList<>();
  private final List<TableBlock> out = new ArrayList<>();

  private final class KnownCampaigns implements Campaigns {
    @Override
    public CompletableFuture<List<String>> of(List<String> ads) {
      asked.add(List.copyOf(ads));
      if (ads.contains("down")) {
        return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
      }
      List<String> campaigns = new ArrayList<>();
      ads.forEach(ad -> campaigns.add(known.get(ad)));
      return CompletableFuture.completedFuture(campaigns);
    }

    @Override
    public void close() {}
  }

  /**
   * Campaigns that respond on another thread, only once the analyzer waits, after moving the
   * block's events to the next window. Views counted by then must keep their window.
   */
  private record Late(Campaigns known, Thread asker, AtomicReference<TableBlock> block)
      implements Campaigns {
    @Override
    public CompletableFuture<List<String>> of(List<String> ads) {
      return CompletableFuture.supplyAsync(
          () -> {
            Await.until("the analyzer waits", () -> asker.getState() == Thread.State.WAITING);
            Arrays.setAll(block.get().longs(AdRecords.TIME), row -> START + WINDOW);
            return known.of(ads).join();
          });
    }

    @Override
    public void close() {}
  }

  private static TableBlock events(String... adsKindsAndSeconds) {
    TableBlock block =
        new TableBlock(AdRecords.EVENTS.columnsWithPlace(), adsKindsAndSeconds.length);
    for (int row = 0; row < adsKindsAndSeconds.length; row++) {
      String[] parts = adsKindsAndSeconds[row].split(" ", -1);
      block.texts(AdRecords.AD).add(parts[0]);
      block.texts(AdRecords.KIND).add(parts[1]);
      block.longs(AdRecords.TIME)[row] = START + Long.parseLong(parts[2]) * 1_000_000;
    }
    block.rows(adsKindsAndSeconds.length);
    return block;
  }

  private ViewCounts opened() {
    ViewCounts counts = new ViewCounts(WINDOW, KnownCampaigns::new);
    counts.open(AnalyzerContext.alone());
    return counts;
  }

  private List<String> process(ViewCounts counts, String... events) throws Exception {
    return process(counts, events(events));
  }

  private List<String> process(ViewCounts counts, TableBlock events) throws Exception {
    out.clear();
    counts.process(events, out::add);
    List<String> rows = new ArrayList<>();
    for (TableBlock block : out) {
      for (int row = 0; row < block.rows(); row++) {
        rows.add(block.text(row, 0) + " " + block.text(row, 1) + " " + block.text(row, 2));
      }
    }
    return rows.stream().sorted().toList();
  }

  @Test
  void viewsAreCountedByCampaignAndWindow() throws Exception {
    assertThat(
            process(
                opened(),
                "x view 0",
                "y view 9",
                "z view 9",
                "x view 10",
                "x click 0",
                "x views 0",
                "x vie 0"))
        .containsExactly(START + " c1 2", START + " c2 1", START + WINDOW + " c1 1");
  }

  @Test
  void eachAdIsLookedUpOnceAndThoseWithoutACampaignAgain() throws Exception {
    ViewCounts counts = opened();
    process(counts, "x view 0", "lost view 0", "x view 0", "y click 0");
    assertThat(process(counts, "x view 0", "lost view 1", "z view 1"))
        .containsExactly(START + " c1 1", START + " c2 1");
    known.put("lost", "c3");
    assertThat(process(counts, "lost view 0", "x view 0"))
        .containsExactly(START + " c1 1", START + " c3 1");
    assertThat(process(counts, "lost view 0")).containsExactly(START + " c3 1");
    assertThat(asked).containsExactly(List.of("x", "lost"), List.of("lost", "z"), List.of("lost"));
  }

  @Test
  void knownAdsAreCountedDuringALookup() throws Exception {
    AtomicReference<TableBlock> block = new AtomicReference<>(events("x view 0"));
    ViewCounts counts =
        new ViewCounts(WINDOW, () -> new Late(new KnownCampaigns(), Thread.currentThread(), block));
    counts.open(AnalyzerContext.alone());
    process(counts, block.get());
    block.set(events("x view 0", "y view 0", "z view 0", "x view 1"));
    assertThat(process(counts, block.get()))
        .containsExactly(START + " c1 2", START + WINDOW + " c1 1", START + WINDOW + " c2 1");
    assertThat(asked).containsExactly(List.of("x"), List.of("y", "z"));
  }

  @Test
  void blockWithoutViewsGivesNothing() throws Exception {
    assertThat(process(opened(), "x click 0", "lost view 0")).isEmpty();
    assertThat(out).isEmpty();
  }

  @Test
  void aFailedLookupFailsTheAnalyzer() {
    ViewCounts counts = opened();
    assertThatThrownBy(() -> process(counts, "down view 0"))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("no answer");
  }
}
