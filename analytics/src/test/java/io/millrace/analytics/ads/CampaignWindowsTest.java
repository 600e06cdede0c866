package io.millrace.analytics.ads;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import org.junit.jupiter.api.Test;

class CampaignWindowsTest {
  private static final long SECOND = 1_000_000;
  private static final long W1 = 1_700_000_000 * SECOND;
  private static final long W2 = W1 + 10 * SECOND;

  private static AnalyzerTester<TableBlock, TableBlock> tester() {
    return AnalyzerTester.of(() -> new CampaignWindows(10 * SECOND, 30 * SECOND))
        .keyedBy(AdRecords.BY_WINDOW);
  }

  private static TableBlock views(Object... windowsCampaignsAndViews) {
    int rows = windowsCampaignsAndViews.length / 3;
    TableBlock block = new TableBlock(AdRecords.COUNTS, rows);
    for (int row = 0; row < rows; row++) {
      block.longs(AdRecords.WINDOW)[row] = (Long) windowsCampaignsAndViews[3 * row];
      block.texts(AdRecords.CAMPAIGN).add((String) windowsCampaignsAndViews[3 * row + 1]);
      block.longs(AdRecords.VIEWS)[row] = (Integer) windowsCampaignsAndViews[3 * row + 2];
    }
    block.rows(rows);
    return block;
  }

  @Test
  void theCountIsEmittedOnceWhenTheWindowCloses() {
    tester()
        .feed(views(W1, "a", 3, W1, "b", 1, W2, "a", 5))
        .watermark(W1 + 10 * SECOND - 2)
        .feed(views(W1, "a", 4))
        .watermark(W1 + 10 * SECOND - 1)
        .watermark(W1 + 12 * SECOND)
        .feed(views(W2, "a", 1))
        .expectCounted(CampaignWindows.LATE, 0)
        .expect(W1 + " a 7", W1 + " b 1", W2 + " a 6");
  }

  @Test
  void lateViewsEmitTheTotalAgainAfterTheSecond() {
    tester()
        .feed(views(W1, "a", 3))
        .watermark(W1 + 15 * SECOND)
        .feed(views(W1, "a", 1))
        .watermark(W1 + 15 * SECOND + 10)
        .feed(views(W1, "a", 1))
        .watermark(W1 + 16 * SECOND)
        .feed(views(W1, "b", 2))
        .watermark(W1 + 17 * SECOND)
        .expect(W1 + " a 3", W1 + " a 5", W1 + " b 2");
  }

  @Test
  void viewsAfterTheLastUpdateAreCountedAndDropped() {
    tester()
        .feed(views(W1, "a", 3))
        .watermark(W1 + 40 * SECOND - 2)
        .feed(views(W1, "a", 1))
        .watermark(W1 + 40 * SECOND - 1)
        .feed(views(W1, "a", 2, W1, "b", 3))
        .expectCounted(CampaignWindows.LATE, 5)
        .expect(W1 + " a 3", W1 + " a 4");
  }
}
