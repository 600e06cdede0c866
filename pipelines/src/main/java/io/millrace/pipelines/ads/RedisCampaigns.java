package io.millrace.pipelines.ads;

import io.millrace.analytics.ads.Campaigns;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

final class RedisCampaigns implements Campaigns {
  private final AdRedis redis;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "ads-campaigns");
            thread.setDaemon(true);
            return thread;
          });

  RedisCampaigns(URI server) {
    redis = new AdRedis(server);
  }

  @Override
  public CompletableFuture<List<String>> of(List<String> ads) {
    return CompletableFuture.supplyAsync(() -> redis.campaignsOf(ads), thread);
  }

  /** Closes without waiting for pending queries. */
  @Override
  public void close() {
    thread.shutdownNow();
    redis.close();
  }
}
