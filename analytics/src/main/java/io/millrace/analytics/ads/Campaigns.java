package io.millrace.analytics.ads;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Lookup of ads' campaigns. Used by one thread. */
public interface Campaigns extends AutoCloseable {
  /**
   * Looks up the campaigns of ads asynchronously.
   *
   * @return the campaign of each ad, in order; null for an ad without campaign. Fails if the lookup
   *     does
   */
  CompletableFuture<List<String>> of(List<String> ads);

  @Override
  void close();
}
