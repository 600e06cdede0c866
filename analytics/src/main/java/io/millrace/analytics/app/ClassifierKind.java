package io.millrace.analytics.app;

import java.util.Locale;
import java.util.Optional;

/** Who says which application a flow is of. */
public enum ClassifierKind {
  /** The one in pure Java. */
  BUILT_IN,
  /** nDPI, the library of the system. */
  NDPI;

  /** Its name in settings and options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Why it cannot be used here, and what to install; empty if it can. */
  public Optional<String> missing() {
    return this == NDPI ? Ndpi.missing() : Optional.empty();
  }

  /**
   * A classifier for one thread.
   *
   * @param names of hosts, which nDPI does without
   * @throws IllegalArgumentException if it is {@link #missing}
   */
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
