package io.millrace.cli.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Headless Chromium, controlled over <a href="https://www.w3.org/TR/webdriver2/">WebDriver</a>
 * (HTTP and JSON). Both programs are the system's; nothing is downloaded. Not thread-safe.
 */
final class Browser implements AutoCloseable {
  static final char ENTER = '\uE007';
  static final char TAB = '\uE004';
  static final char ESCAPE = '\uE00C';
  static final char DOWN = '\uE015';
  static final char CONTROL = '\uE009';

  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
  private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final ChildProcess driver;
  private final String session;

  private Browser(ChildProcess driver, int port, Path downloads) {
    this.driver = driver;
    String root = "http://127.0.0.1:" + port;
    Map<String, Object> options =
        Map.of(
            "args",
            List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            "prefs",
            Map.of("download.default_directory", downloads.toString()));
    JsonNode made =
        send(
            "POST",
            root + "/session",
            Map.of(
                "capabilities",
                Map.of(
                    "alwaysMatch",
                    Map.of(
                        "goog:loggingPrefs",
                        Map.of("browser", "ALL"),
                        "goog:chromeOptions",
                        options))));
    session = root + "/session/" + made.path("sessionId").asText();
  }

  /** Starts a browser with a download directory; empty if Chromium or its driver is missing. */
  static Optional<Browser> start(Path downloads) throws IOException {
    if (!isThere("chromium") || !isThere("chromedriver")) {
      return Optional.empty();
    }
    ChildProcess driver =
        ChildProcess.start(
            Files.createTempFile("chromedriver-", ".out"), List.of("chromedriver", "--port=0"));
    int port = Integer.parseInt(driver.awaitOutput(TIMEOUT, STARTED).group(1));
    return Optional.of(new Browser(driver, port, downloads));
  }

  private static boolean isThere(String program) {
    return Pattern.compile(":")
        .splitAsStream(System.getenv("PATH"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  void open(String url) {
    command("url", Map.of("url", url));
  }

  /** Value of a JavaScript expression. */
  JsonNode value(String expression) {
    return command("execute/sync", Map.of("script", "return " + expression, "args", List.of()));
  }

  /** Value that a script passes to its last argument, a callback. */
  JsonNode answer(String script) {
    return command("execute/async", Map.of("script", script, "args", List.of()));
  }

  void run(String script) {
    command("execute/sync", Map.of("script", script, "args", List.of()));
  }

  /** Waits until an expression is true. */
  void await(String what, String expression) {
    Await.until(what, () -> value("Boolean(" + expression + ")").asBoolean());
  }

  /** Waits until an element of the CSS selector is visible. */
  void awaitShown(String css) {
    await(css, "document.querySelector(" + quoted(css) + ")?.checkVisibility()");
  }

  String text(String css) {
    return value("document.querySelector(" + quoted(css) + ").textContent").asText();
  }

  void click(String css) {
    awaitShown(css);
    String id =
        command("element", Map.of("using", "css selector", "value", css)).path(ELEMENT).asText();
    command("element/" + id + "/click", Map.of());
  }

  /** Clicks the link or button with this text in the open menu. */
  void choose(String text) {
    awaitShown("#menu");
    command(
        "element/"
            + command(
                    "element",
                    Map.of(
                        "using",
                        "xpath",
                        "value",
                        "//div[@id='menu']//*[(self::a or self::button) and starts-with(., '"
                            + text
                            + "')]"))
                .path(ELEMENT)
                .asText()
            + "/click",
        Map.of());
  }

  /** Selects a value of a list. */
  void select(String css, String value) {
    awaitShown(css);
    run(
        "const list = document.querySelector(%s); list.value = %s; list.dispatchEvent(new Event('change', {bubbles: true}))"
            .formatted(quoted(css), quoted(value)));
  }

  /** Presses keys one by one in the focused element; CONTROL is held for the next key. */
  void type(String keys) {
    List<Object> actions = new ArrayList<>();
    boolean isHeld = false;
    for (int i = 0; i < keys.length(); i++) {
      String key = String.valueOf(keys.charAt(i));
      if (keys.charAt(i) == CONTROL) {
        actions.add(Map.of("type", "keyDown", "value", key));
        isHeld = true;
        continue;
      }
      actions.add(Map.of("type", "keyDown", "value", key));
      actions.add(Map.of("type", "keyUp", "value", key));
      if (isHeld) {
        actions.add(Map.of("type", "keyUp", "value", String.valueOf(CONTROL)));
        isHeld = false;
      }
    }
    command(
        "actions",
        Map.of("actions", List.of(Map.of("type", "key", "id", "keyboard", "actions", actions))));
  }

  void type(char key) {
    type(String.valueOf(key));
  }

  /** Drags over an element, from and to fractions of its width, at half height. */
  void drag(String css, double from, double to) {
    JsonNode box =
        value(
            "(({left, top, width, height}) => [left, top, width, height])(document.querySelector(%s).getBoundingClientRect())"
                .formatted(quoted(css)));
    int y = (int) (box.get(1).asDouble() + box.get(3).asDouble() / 2);
    int start = (int) (box.get(0).asDouble() + from * box.get(2).asDouble());
    int end = (int) (box.get(0).asDouble() + to * box.get(2).asDouble());
    command(
        "actions",
        Map.of(
            "actions",
            List.of(
                Map.of(
                    "type",
                    "pointer",
                    "id",
                    "mouse",
                    "actions",
                    List.of(
                        move(start, y, 0),
                        Map.of("type", "pointerDown", "button", 0),
                        move((start + end) / 2, y, 50),
                        move(end, y, 50),
                        Map.of("type", "pointerUp", "button", 0))))));
  }

  private static Map<String, Object> move(int x, int y, int millis) {
    return Map.of("type", "pointerMove", "x", x, "y", y, "duration", millis);
  }

  /** Sets the viewport and the light or dark theme. */
  void screen(int width, int height, boolean isDark) {
    chrome(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    chrome(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
  }

  private void chrome(String name, Map<String, ?> parameters) {
    command("goog/cdp/execute", Map.of("cmd", name, "params", parameters));
  }

  /** Errors logged to the console since the last call. */
  List<String> errors() {
    List<String> errors = new ArrayList<>();
    for (JsonNode line : command("se/log", Map.of("type", "browser"))) {
      if (line.path("level").asText().equals("SEVERE")) {
        errors.add(line.path("message").asText());
      }
    }
    return errors;
  }

  /** The visible page as PNG. */
  byte[] screenshot() {
    return Base64.getDecoder().decode(send("GET", session + "/screenshot", null).asText());
  }

  private static String quoted(String text) {
    try {
      return JSON.writeValueAsString(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode command(String path, Map<String, ?> body) {
    return send("POST", session + "/" + path, body);
  }

  private JsonNode send(String method, String url, Map<String, ?> body) {
    try {
      HttpRequest.BodyPublisher content =
          body == null
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).method(method, content).build();
      HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      JsonNode value = JSON.readTree(response.body()).path("value");
      if (response.statusCode() != 200) {
        throw new AssertionError(path(url) + " " + body + ": " + value.path("message").asText());
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static String path(String url) {
    return URI.create(url).getPath();
  }

  @Override
  public void close() {
    send("DELETE", session, null);
    driver.close();
  }
}
