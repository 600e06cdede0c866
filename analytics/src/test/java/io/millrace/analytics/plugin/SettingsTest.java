package io.millrace.analytics.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static Settings settings(String... keysAndValues) {
    Map<String, String> values = new java.util.HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new Settings("packets_by_port", values);
  }

  @Test
  void readsValuesAndDefaults() {
    Settings settings = settings("table", "a.csv", "top", "1_000");
    assertThat(settings.path("table", "name a file")).isEqualTo(Path.of("a.csv"));
    assertThat(settings.numberOr("top", 10, 1, 5_000)).isEqualTo(1_000);
    assertThat(settings.numberOr("minutes", 5, 1, 60)).isEqualTo(5);
    assertThat(settings.textOr("label", "none")).isEqualTo("none");
    assertThatCode(settings::refuseUnknown).doesNotThrowAnyException();
  }

  @Test
  void saysWhichKeyIsWrongAndWhy() {
    assertThatThrownBy(() -> settings().text("table", "name a CSV file"))
        .isInstanceOf(SettingException.class)
        .hasMessage("plugins.settings.packets_by_port.table: missing; name a CSV file");
    assertThatThrownBy(() -> settings("top", "many").numberOr("top", 1, 1, 9))
        .hasMessage("plugins.settings.packets_by_port.top: many, expected a whole number");
    assertThatThrownBy(() -> settings("top", "10").numberOr("top", 1, 1, 9))
        .hasMessage("plugins.settings.packets_by_port.top: 10, expected 1 to 9");
  }

  @Test
  void rejectsUnknownKeys() {
    Settings settings = settings("tabel", "a.csv");
    assertThat(settings.textOr("table", "none")).isEqualTo("none");
    assertThatThrownBy(settings::refuseUnknown)
        .hasMessage("plugins.settings.packets_by_port.tabel: unknown key; expected one of table");
    assertThatThrownBy(settings("top", "5")::refuseUnknown)
        .hasMessageEndingWith("unknown key; this plugin has no settings");
  }
}
