package io.millrace.analytics.app;

import java.util.Locale;
import java.util.Optional;

/** Implementation of the classifier. */
public enum ClassifierKind {
  /** Pure Java. */
  BUILT_IN,
  /** The system's nDPI library. */
  NDPI;

  /** Name in settings and options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Reason why it is unavailable, and what to install; empty if it is available. */
  public Optional<String> missing() {
    return this == NDPI ? Ndpi.missing() : Optional.empty();
  }

  /** Opens a classifier; throws {@code IllegalArgumentException} if it is {@link #missing}. */
  Classifier open(AppNames names) {
    missing()
        .ifPresent(
            why -> {
              throw new IllegalArgumentException(why);
            });
    return switch (this) {
      case BUILT_IN -> new BuiltInClassifier(names);
      case NDPI -> new NdpiClassifier();
    };
  }
}
