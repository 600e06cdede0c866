package io.millrace.testing;

import java.util.Optional;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyAttributes;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Seeds and numbers of tries of all properties. A default run is repeatable: each property has a
 * seed derived from its name, and the first quarter of the tries of a full run ({@code
 * -Dmillrace.full}). A long run ({@code -Dmillrace.long=true}) has new seeds and {@value
 * #LONG_FACTOR} times as many tries. A failure prints the command that repeats it.
 *
 * <p>{@code -Dmillrace.seed=N} sets the seed of every property that runs, {@code
 * -Dmillrace.tries=N} the factor of the tries. A property with a seed of its own keeps it.
 */
public final class SeededProperties implements AroundPropertyHook {
  private static final int LONG_FACTOR = 20;
  private static final int SHORT_DIVISOR = 4;
  private static final int JQWIK_TRIES = 1_000;

  private final boolean isFull = System.getProperty("millrace.full") != null;
  private final boolean isLong = Boolean.getBoolean("millrace.long");
  private final Optional<String> seed = Optional.ofNullable(System.getProperty("millrace.seed"));
  private final int factor = Integer.getInteger("millrace.tries", isLong ? LONG_FACTOR : 1);
  private final boolean isShort =
      !isFull && factor == 1 && System.getProperty("millrace.tries") == null;

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    String name = context.containerClass().getSimpleName() + "#" + context.targetMethod().getName();
    PropertyAttributes attributes = context.attributes();
    int tries = attributes.tries().orElse(JQWIK_TRIES);
    if (tries > 1) { // not an example, which has no other case
      attributes.setTries(
          isShort
              ? (tries + SHORT_DIVISOR - 1) / SHORT_DIVISOR
              : Math.multiplyExact(tries, factor));
    }
    if (attributes.seed().isEmpty()) {
      if (seed.isPresent()) {
        attributes.setSeed(seed.get());
      } else if (factor == 1) {
        attributes.setSeed(Integer.toString(name.hashCode()));
      }
    }
    PropertyExecutionResult result = property.execute();
    if (result.status() == PropertyExecutionResult.Status.FAILED && result.seed().isPresent()) {
      System.out.printf(
          "again: ./millrace test -Dtest='%s' -Dmillrace.seed=%s -Dmillrace.tries=%d%n",
          name, result.seed().get(), factor);
    }
    return result;
  }
}
