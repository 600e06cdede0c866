package io.millrace.engine.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Body of a webhook's request: the results as JSON. */
public enum WebhookFormat {
  /** An array of the results as they are in the topic. */
  JSON {
    @Override
    byte[] body(List<byte[]> results) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      body.write('[');
      for (byte[] result : results) {
        if (body.size() > 1) {
          body.write(',');
        }
        body.writeBytes(result);
      }
      body.write(']');
      return body.toByteArray();
    }
  },

  /**
   * {@code {"text": "…"}} with the field {@code text} of each result and, on a separate line, its
   * {@code link}: as accepted by Slack, Mattermost, Rocket.Chat and Google Chat.
   */
  TEXT {
    @Override
    byte[] body(List<byte[]> results) {
      StringBuilder text = new StringBuilder();
      for (byte[] result : results) {
        JsonNode fields = parsed(result);
        text.append(text.length() == 0 ? "" : "\n");
        text.append(fields.path("text").asText(new String(result, StandardCharsets.UTF_8)));
        if (fields.hasNonNull("link")) {
          text.append('\n').append(fields.get("link").asText());
        }
      }
      return bytes(MAPPER.createObjectNode().put("text", text.toString()));
    }
  },

  /**
   * Body of {@code POST /api/v2/alerts} of Prometheus Alertmanager: the texts of a result are
   * labels, its {@code text} the annotation {@code summary}, its {@code link} the generator's URL,
   * its {@code time} the start.
   */
  ALERTMANAGER {
    @Override
    byte[] body(List<byte[]> results) {
      ArrayNode alerts = MAPPER.createArrayNode();
      for (byte[] result : results) {
        JsonNode fields = parsed(result);
        ObjectNode alert = alerts.addObject();
        ObjectNode labels = alert.putObject("labels").put("alertname", "millrace");
        ObjectNode annotations = alert.putObject("annotations");
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
          switch (field.getKey()) {
            case "id" -> {} // differs each time, so would create another alert
            case "text" -> annotations.set("summary", field.getValue());
            case "link" -> alert.set("generatorURL", field.getValue());
            case "time" -> alert.put("startsAt", instant(field.getValue().asLong()));
            default -> {
              boolean isLabel = field.getValue().isTextual();
              ObjectNode to = isLabel ? labels : annotations;
              to.put(field.getKey(), field.getValue().asText());
            }
          }
        }
      }
      return bytes(alerts);
    }
  };

  private static final ObjectMapper MAPPER = new ObjectMapper();

  abstract byte[] body(List<byte[]> results);

  private static JsonNode parsed(byte[] result) {
    try {
      return MAPPER.readTree(result);
    } catch (IOException e) {
      return MAPPER.createObjectNode();
    }
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return MAPPER.writeValueAsBytes(body);
    } catch (IOException e) {
      throw new UncheckedIOException("writing a JSON tree to memory cannot fail", e);
    }
  }

  private static String instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }
}
