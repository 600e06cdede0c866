package io.millrace.analytics.ads;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Aggregation of events ({@link AdRecords#EVENTS}) to the views of each campaign and window in a
 * block ({@link AdRecords#COUNTS}), upstream of the shuffle, which then transfers one row for
 * hundreds of events.
 *
 * <p>Campaigns are cached. The unknown ads of a block are looked up together, while the views of
 * known ads are counted. An ad without a campaign is looked up again at its next event.
 *
 * <p>No state, since the cache can be refilled. The cache takes 37 bytes and the name for each of
 * at most {@link #MAX_ADS} ads.
 */
public final class ViewCounts implements Analyzer<TableBlock, TableBlock> {
  /** Counter: views. */
  public static final String VIEWS = "views";

  /** Counter: views of ads without campaign. */
  public static final String UNKNOWN = "viewsOfUnknownAds";

  /** Counter: ads looked up. */
  public static final String LOOKED_UP = "lookedUpAds";

  /** Maximum number of cached ads; beyond it the cache is cleared. */
  static final int MAX_ADS = 1 << 20;

  private static final byte[] VIEW = "view".getBytes(StandardCharsets.US_ASCII);

  // Special values in place of a campaign's number, which is at least 1.
  private static final int NOT_LOOKED_UP = 0;
  private static final int AWAITED = -1;

  private final long windowMicros;
  private final Supplier<? extends Campaigns> source;
  private Campaigns campaigns;
  private AnalyzerContext.Counter views;
  private AnalyzerContext.Counter unknown;
  private AnalyzerContext.Counter lookedUp;

  private ByteKeyTable ads;

  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<byte[]> names = new ArrayList<>();

  // Of the block.
  private KeyTable counts; // by number of the campaign, and window
  private int[] viewRows = new int[0];
  private int[] viewAds = new int[0];

  /**
   * An unopened analyzer.
   *
   * @param windowMicros length of a window; windows begin at multiples of it
   * @param source opens the lookup
   */
  public ViewCounts(long windowMicros, Supplier<? extends Campaigns> source) {
    this.windowMicros = windowMicros;
    this.source = source;
  }

  @Override
  public void open(AnalyzerContext context) {
    campaigns = source.get();
    views = context.counter(VIEWS);
    unknown = context.counter(UNKNOWN);
    lookedUp = context.counter(LOOKED_UP);
    ads = new ByteKeyTable(context.keyGroups(), 1);
    counts = new KeyTable(context.keyGroups(), 2, 1);
  }

  @Override
  public void process(TableBlock events, Emitter<TableBlock> out) throws Exception {
    if (ads.size() > MAX_ADS) {
      ads.clear();
    }
    List<String> missing = new ArrayList<>();
    int found = findViews(events, missing);
    views.add(found);
    if (missing.isEmpty()) {
      count(events, found);
    } else {
      lookedUp.add(missing.size());
      CompletableFuture<List<String>> response = campaigns.of(missing);
      int left = count(events, found);
      learn(missing, response.get());
      unknown.add(count(events, left));
    }
    if (counts.size() > 0) {
      out.emit(counted());
      counts.clear();
    }
  }

  /** Returns the number of rows that are views; {@code missing} receives the ads to look up. */
  private int findViews(TableBlock events, List<String> missing) {
    int rows = events.rows();
    if (viewRows.length < rows) {
      viewRows = new int[rows];
      viewAds = new int[rows];
    }
    Texts kinds = events.texts(AdRecords.KIND);
    Texts names = events.texts(AdRecords.AD);
    byte[] kindBytes = kinds.bytes();
    byte[] nameBytes = names.bytes();
    int found = 0;
    for (int row = 0; row < rows; row++) {
      int kind = kinds.start(row);
      if (!Arrays.equals(kindBytes, kind, kind + kinds.length(row), VIEW, 0, VIEW.length)) {
        continue;
      }
      int start = names.start(row);
      int length = names.length(row);
      int hash = ByteKeyTable.indexHash(nameBytes, start, length);
      int ad = ads.entry(hash, hash, nameBytes, start, length);
      if (ads.values(0)[ad] == NOT_LOOKED_UP) {
        ads.values(0)[ad] = AWAITED;
        missing.add(names.get(row));
      }
      viewRows[found] = row;
      viewAds[found++] = ad;
    }
    return found;
  }

  /** Counts noted views with a known campaign; returns the number of views without one. */
  private int count(TableBlock events, int noted) {
    long[] times = events.longs(AdRecords.TIME);
    long[] campaignOf = ads.values(0);
    int left = 0;
    for (int i = 0; i < noted; i++) {
      int row = viewRows[i];
      int ad = viewAds[i];
      long campaign = campaignOf[ad];
      if (campaign <= 0) {
        viewRows[left] = row;
        viewAds[left++] = ad;
        continue;
      }
      long window = Math.floorDiv(times[row], windowMicros) * windowMicros;
      int entry = counts.entry(Hash.of(campaign, window), campaign, window);
      counts.values(0)[entry]++;
    }
    return left;
  }

  private void learn(List<String> requested, List<String> campaigns) {
    for (int i = 0; i < requested.size(); i++) {
      byte[] ad = requested.get(i).getBytes(StandardCharsets.UTF_8);
      int entry = ads.find(ByteKeyTable.indexHash(ad, 0, ad.length), ad, 0, ad.length);
      String campaign = campaigns.get(i);
      ads.values(0)[entry] = campaign == null ? NOT_LOOKED_UP : number(campaign);
    }
  }

  private int number(String campaign) {
    return numbers.computeIfAbsent(
        campaign,
        name -> {
          names.add(name.getBytes(StandardCharsets.UTF_8));
          return names.size();
        });
  }

  private TableBlock counted() {
    int rows = counts.size();
    TableBlock block = new TableBlock(AdRecords.COUNTS, rows);
    for (int entry = 0; entry < rows; entry++) {
      byte[] campaign = names.get((int) counts.key(entry, 0) - 1);
      block.longs(AdRecords.WINDOW)[entry] = counts.key(entry, 1);
      block.texts(AdRecords.CAMPAIGN).add(campaign, 0, campaign.length);
      block.longs(AdRecords.VIEWS)[entry] = counts.values(0)[entry];
    }
    block.rows(rows);
    return block;
  }

  @Override
  public void close() {
    if (campaigns != null) {
      campaigns.close();
    }
  }
}
