package io.millrace.pipelines.plugins;

import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.store.TableNames;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * The jars of a directory in one class loader, whose parent is Millrace's own, and the plugins in
 * them. Jars without a plugin are libraries of the others. Immutable; closed, it loads no more
 * classes.
 */
public final class PluginDirectory implements AutoCloseable {
  private static final String SERVICE = "META-INF/services/" + FlowAnalysis.class.getName();
  private static final Pattern CLASS_VERSION = Pattern.compile("class file version (\\d+)");

  /** Java 1.1 wrote version 45. */
  private static final int VERSION_BEFORE_JAVA_1 = 44;

  private final List<Path> jars;
  private final URLClassLoader loader;
  private final Map<String, Plugin> plugins = new TreeMap<>();

  /**
   * Loads all plugins.
   *
   * @throws PluginException if there is none, or one of them cannot be used
   */
  public PluginDirectory(Path directory) {
    jars = jars(directory);
    loader =
        new URLClassLoader(
            "plugins",
            jars.stream().map(PluginDirectory::url).toArray(URL[]::new),
            PluginDirectory.class.getClassLoader());
    try {
      for (Path jar : jars) {
        load(jar);
      }
      if (plugins.isEmpty()) {
        throw new PluginException(
            "the jars in "
                + directory
                + " hold no plugin: a jar of one names its class in "
                + SERVICE);
      }
    } catch (PluginException e) {
      close();
      throw e;
    }
  }

  private static List<Path> jars(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new PluginException(
          "plugins: " + directory + " is not a directory; name the one that holds the jars");
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> jars =
          files
              .filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))
              .sorted()
              .toList();
      if (jars.isEmpty()) {
        throw new PluginException(
            "plugins: there is no jar in " + directory + "; put the plugins' jars there");
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
      throw new PluginException("plugins: " + jar + " has no address: " + e.getMessage());
    }
  }

  private void load(Path jar) {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      if (zip.getEntry(SERVICE) == null) {
        return;
      }
    } catch (IOException e) {
      throw new PluginException(
          "plugin jar " + jar + ": is no jar (" + e.getMessage() + "); replace it or take it away");
    }
    try {
      // A loader that sees this jar's list alone: so it is known which jar a plugin is from.
      ServiceLoader<FlowAnalysis> services =
          ServiceLoader.load(
              FlowAnalysis.class, new OneList(loader, new URL("jar:" + url(jar) + "!/" + SERVICE)));
      for (FlowAnalysis analysis : services) {
        add(Plugin.of(analysis, jar.toString()));
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new PluginException("plugin jar " + jar + ": " + reason(e));
    } catch (MalformedURLException e) {
      throw new PluginException("plugin jar " + jar + ": has no address: " + e.getMessage());
    }
  }

  private void add(Plugin plugin) {
    String who = "plugin jar " + plugin.jar() + ": class " + plugin.analysis().getClass().getName();
    TableNames.whyNotOwnResults(plugin.name())
        .ifPresent(
            why -> {
              throw new PluginException(
                  who + ": '" + plugin.name() + "' cannot be its name: " + why + "; rename it");
            });
    Plugin other = plugins.putIfAbsent(plugin.name(), plugin);
    if (other != null) {
      throw new PluginException(
          "%s is called %s, as class %s of %s is; take one of the jars away"
              .formatted(who, plugin.name(), other.analysis().getClass().getName(), other.jar()));
    }
  }

  /** What went wrong and what to do, in one line. */
  static String reason(Throwable failure) {
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
      return "class %s is compiled for %s, and this is Java %d; compile it with --release %d"
          .formatted(
              message.split(" ", 2)[0].replace('/', '.'),
              needed,
              Runtime.version().feature(),
              Runtime.version().feature());
    }
    if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
      return "class "
          + message.replace('/', '.')
          + " is missing; put the jar that has it beside this one";
    }
    // "io.…FlowAnalysis: Provider com.x.Y not found"
    String text = message.replace(FlowAnalysis.class.getName() + ": ", "");
    return (cause instanceof ServiceConfigurationError
            ? text
            : cause.getClass().getName() + ": " + text)
        + "; see docs/analyzers.md for how a plugin is packed";
  }

  /** All plugins by name. */
  public List<Plugin> plugins() {
    return List.copyOf(plugins.values());
  }

  /** All jars of the directory. */
  public List<Path> jars() {
    return jars;
  }

  /**
   * Refuses jars that bring classes of Millrace along: a cluster looks into a job's jars first, and
   * a plugin made of those classes would not be one to the rest of the job.
   *
   * @throws PluginException if there are any
   */
  static void refuseOwnClasses(List<Path> jars) {
    String entry = FlowAnalysis.class.getName().replace('.', '/') + ".class";
    for (Path jar : jars) {
      try (ZipFile zip = new ZipFile(jar.toFile())) {
        if (zip.getEntry(entry) != null) {
          throw new PluginException(
              "plugin jar "
                  + jar
                  + ": brings classes of Millrace along, which would hide the cluster's own; pack"
                  + " it without them (Maven: scope provided)");
        }
      } catch (IOException e) {
        throw new PluginException("plugin jar " + jar + ": cannot be read: " + e.getMessage());
      }
    }
  }

  /** The loader that has the jars' classes. */
  ClassLoader classLoader() {
    return loader;
  }

  @Override
  public void close() {
    try {
      loader.close();
    } catch (IOException e) {
      throw new PluginException("plugins: a jar cannot be closed: " + e.getMessage());
    }
  }

  /** All classes of a loader and a single list of services. */
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
