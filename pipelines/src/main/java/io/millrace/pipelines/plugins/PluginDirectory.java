package io.millrace.pipelines.plugins;

import io.millrace.pipelines.Pipeline;
import io.millrace.store.TableNames;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * The pipelines in the jars of a directory. All jars share one class loader, a child of Millrace's,
 * which stays open as long as one of the pipelines is in use. Jars without a pipeline are libraries
 * of the others. Immutable.
 */
public final class PluginDirectory {
  private static final String SERVICE = "META-INF/services/" + Pipeline.class.getName();
  private static final Pattern CLASS_VERSION = Pattern.compile("class file version (\\d+)");

  /** Class file version minus this is the Java version; Java 1.1 wrote version 45. */
  private static final int VERSION_BEFORE_JAVA_1 = 44;

  /**
   * A pipeline from a jar.
   *
   * @param pipeline with its default settings
   * @param jar that declares it
   */
  public record Plugin(Pipeline pipeline, Path jar) {}

  private final JarLoader loader;
  private final Map<String, Plugin> plugins = new TreeMap<>();

  /**
   * Loads all pipelines.
   *
   * @throws PluginException if there are no pipelines, or one cannot be used
   */
  public PluginDirectory(Path directory) {
    loader = new JarLoader(jars(directory));
    try {
      loader.jars.forEach(this::load);
      if (plugins.isEmpty()) {
        throw new PluginException(
            "the jars in "
                + directory
                + " contain no pipeline: a plugin's jar lists the pipeline's class in "
                + SERVICE);
      }
    } catch (PluginException e) {
      loader.closeQuietly();
      throw e;
    }
  }

  private static List<Path> jars(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new PluginException(
          "plugins: " + directory + " is not a directory; set it to the one with the jars");
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> jars =
          files
              .filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))
              .sorted()
              .toList();
      if (jars.isEmpty()) {
        throw new PluginException(
            "plugins: no jars in " + directory + "; put the plugins' jars there");
      }
      return jars;
    } catch (IOException e) {
      throw new PluginException("plugins: cannot read " + directory + ": " + e.getMessage());
    }
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new PluginException("plugins: " + jar + " has no valid URL: " + e.getMessage());
    }
  }

  private void load(Path jar) {
    if (!has(jar, SERVICE)) {
      return;
    }
    try {
      // A loader that sees only this jar's service list, to determine which jar declares a plugin.
      ServiceLoader<Pipeline> services =
          ServiceLoader.load(
              Pipeline.class, new OneList(loader, new URL("jar:" + url(jar) + "!/" + SERVICE)));
      for (Pipeline pipeline : services) {
        add(new Plugin(pipeline, jar));
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new PluginException("plugin jar " + jar + ": " + reason(e));
    } catch (MalformedURLException e) {
      throw new PluginException("plugin jar " + jar + ": has no valid URL: " + e.getMessage());
    }
  }

  private static boolean has(Path jar, String entry) {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.getEntry(entry) != null;
    } catch (IOException e) {
      throw new PluginException(
          "plugin jar " + jar + ": not a jar (" + e.getMessage() + "); replace or remove it");
    }
  }

  private void add(Plugin plugin) {
    Pipeline pipeline = plugin.pipeline();
    String who = "plugin jar " + plugin.jar() + ": class " + pipeline.getClass().getName();
    try {
      String name = Objects.requireNonNull(pipeline.name(), "name() is null");
      whyNot(name)
          .ifPresent(
              why -> {
                throw new PluginException(
                    who + ": '" + name + "' is not a valid name: " + why + "; rename it");
              });
      Objects.requireNonNull(pipeline.config(), "config() is null");
      Stream.concat(
              pipeline.tables().stream().map(table -> table.name()),
              pipeline.views().keySet().stream())
          .forEach(
              table ->
                  whyNot(table)
                      .ifPresent(
                          why -> {
                            throw new PluginException(
                                who + ": invalid table or view name " + table + ": " + why);
                          }));
      Plugin other = plugins.putIfAbsent(name, plugin);
      if (other != null) {
        throw new PluginException(
            "%s has the name %s, which class %s of %s also has; remove one of the jars"
                .formatted(who, name, other.pipeline().getClass().getName(), other.jar()));
      }
    } catch (PluginException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      throw new PluginException(
          who + " could not be initialized: " + reason(e) + "; contact its author");
    }
  }

  private static Optional<String> whyNot(String name) {
    return TableNames.whyNotOwnResults(name);
  }

  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof ServiceConfigurationError && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof UnsupportedClassVersionError) {
      Matcher version = CLASS_VERSION.matcher(message);
      String needed =
          version.find()
              ? "Java " + (Integer.parseInt(version.group(1)) - VERSION_BEFORE_JAVA_1)
              : "a later Java";
      return "class %s is compiled for %s, but this is Java %d; compile it with --release %d"
          .formatted(
              message.split(" ", 2)[0].replace('/', '.'),
              needed,
              Runtime.version().feature(),
              Runtime.version().feature());
    }
    if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
      return "class "
          + message.replace('/', '.')
          + " is missing; put the jar that contains it into the same directory";
    }
    // "io.…Pipeline: Provider com.x.Y not found"
    String text = message.replace(Pipeline.class.getName() + ": ", "");
    return (cause instanceof ServiceConfigurationError
            ? text
            : cause.getClass().getName() + ": " + text)
        + "; docs/analyzers.md describes how to package a plugin";
  }

  /** All plugins, by name. */
  public List<Plugin> plugins() {
    return List.copyOf(plugins.values());
  }

  /** The pipelines among these that come from jars. */
  public static List<Pipeline> ofJars(Collection<? extends Pipeline> pipelines) {
    return pipelines.stream()
        .filter(pipeline -> pipeline.getClass().getClassLoader() instanceof JarLoader)
        .map(Pipeline.class::cast)
        .toList();
  }

  /**
   * The jars with the classes of pipelines, to be sent with their job; none for Millrace's own
   * pipelines.
   */
  public static List<Path> jarsOf(Collection<? extends Pipeline> pipelines) {
    return pipelines.stream()
        .map(pipeline -> pipeline.getClass().getClassLoader())
        .filter(JarLoader.class::isInstance)
        .flatMap(loader -> ((JarLoader) loader).jars.stream())
        .distinct()
        .toList();
  }

  /**
   * Rejects jars that contain classes of Millrace. A cluster searches a job's jars first, so a
   * pipeline would use these copies, which the rest of the job treats as different classes.
   *
   * @throws PluginException if there are any
   */
  public static void rejectOwnClasses(List<Path> jars) {
    String entry = Pipeline.class.getName().replace('.', '/') + ".class";
    for (Path jar : jars) {
      if (has(jar, entry)) {
        throw new PluginException(
            "plugin jar "
                + jar
                + ": contains classes of Millrace, which would hide the cluster's own; package"
                + " it without them (Maven: scope provided)");
      }
    }
  }

  private static final class JarLoader extends URLClassLoader {
    private final List<Path> jars;

    JarLoader(List<Path> jars) {
      super(
          "plugins",
          jars.stream().map(PluginDirectory::url).toArray(URL[]::new),
          PluginDirectory.class.getClassLoader());
      this.jars = jars;
    }

    void closeQuietly() {
      try {
        close();
      } catch (IOException e) {
        throw new PluginException("plugins: cannot close a jar: " + e.getMessage());
      }
    }
  }

  private static final class OneList extends ClassLoader {
    private final URL list;

    OneList(ClassLoader parent, URL list) {
      super(parent);
      this.list = list;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      return name.equals(SERVICE)
          ? Collections.enumeration(List.of(list))
          : super.getResources(name);
    }
  }
}
