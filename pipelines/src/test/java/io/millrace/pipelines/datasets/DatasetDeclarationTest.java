package io.millrace.pipelines.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetConfigException;
import io.millrace.datasets.JoinedField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DatasetDeclarationTest {
  @Test
  void wellKnownSetsNeedOnlyTheirFiles() {
    assertThat(columns(DatasetDeclaration.of("a.csv").toConfig("asn")))
        .containsExactlyInAnyOrder("src_as", "src_as_name", "dst_as", "dst_as_name");
    assertThat(columns(DatasetDeclaration.of("a.mrd").toConfig("rdns")))
        .containsExactlyInAnyOrder("src_dns", "src_domain", "dst_dns", "dst_domain");
  }

  @Test
  void aSetOfItsOwnIsAllDeclaration() {
    DatasetDeclaration country =
        new DatasetDeclaration(
            "range",
            List.of("country.csv"),
            List.of("start", "end", "country:text"),
            Map.of("src_addr", "src_"),
            false,
            0);
    assertThat(columns(country.toConfig("country"))).containsExactly("src_country");
  }

  @Test
  void anUnknownSetWithoutAKindIsRejected() {
    assertThatThrownBy(() -> DatasetDeclaration.of("a.csv").toConfig("other"))
        .isInstanceOf(DatasetConfigException.class)
        .hasMessageContaining("other");
  }

  @Test
  void setsThatAddTheSameColumnAreRejected() {
    Map<String, DatasetDeclaration> two = new LinkedHashMap<>();
    two.put("asn", DatasetDeclaration.of("a.csv"));
    two.put(
        "other",
        new DatasetDeclaration(
            "range",
            List.of("b.csv"),
            List.of("start", "end", "as:number"),
            Map.of("src_addr", "src_"),
            false,
            0));
    assertThatThrownBy(() -> DatasetDeclaration.toConfigs(two))
        .isInstanceOf(DatasetConfigException.class)
        .hasMessageContaining("src_as");
  }

  private static List<String> columns(DatasetConfig config) {
    return config.joined().stream().map(JoinedField::columnName).toList();
  }
}
