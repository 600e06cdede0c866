package io.millrace.analytics.ads;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Who knows to which campaign an ad belongs. Used by one thread. */
public interface Campaigns extends AutoCloseable {
  /**
   * Asks for the campaigns of ads, and does not wait.
   *
   * @return the campaign of each ad, in their order; null for an ad that has none. Fails if there
   *     is no answer
   */
  CompletableFuture<List<String>> of(List<String> ads);

  @Override
  void close();
}
