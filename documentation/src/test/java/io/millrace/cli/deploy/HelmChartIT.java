package io.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.config.ConfigFile;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.GrafanaSql;
import io.millrace.testing.PythonPackages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The chart of {@code deploy/helm}: its objects are valid for several versions of Kubernetes, and
 * its configuration is one of Millrace.
 */
class HelmChartIT {
  /** Carries the JSON schemas of Kubernetes, strict ones too. */
  private static final String SCHEMAS = "kubernetes-validate==1.37.0";

  private static final Path CHART = Path.of("..", "deploy", "helm", "millrace");

  /** Kinds of operators, whose schemas are not Kubernetes' own. */
  private static final Set<String> OF_OPERATORS =
      Set.of("FlinkDeployment", "ServiceMonitor", "PrometheusRule");

  private static final List<String> EVERYTHING =
      List.of(
          "prometheus.serviceMonitor=true",
          "prometheus.rules=true",
          "grafana.dashboards=true",
          "collector.hostPort=true",
          "collector.service.sourceRanges={192.0.2.0/24}",
          "http.tlsSecret=certificate",
          "http.hosts={flows.example.net}",
          "storage.className=fast",
          "javaOptions=-Xmx1g",
          "podAnnotations.note=any");

  private static final List<String> CLUSTER =
      List.of(
          "cluster.enabled=true",
          "cluster.kafka=kafka-1:9092\\,kafka-2:9092",
          "cluster.bucket=s3://millrace",
          "cluster.configuration.s3\\.endpoint=http://minio:9000");

  @TempDir Path directory;

  @BeforeAll
  static void install() throws IOException {
    GoTools.require(GoTools.HELM, GoTools.CHECK);
  }

  private static String template(List<String> settings) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "template",
                "flows",
                CHART.toString(),
                "--namespace",
                "monitoring",
                "--kube-version",
                "1.31.0"));
    for (String setting : settings) {
      arguments.addAll(List.of("--set", setting));
    }
    // Of links to the files of other directories, helm says on its error stream that it follows.
    return GoTools.run(GoTools.HELM, arguments.toArray(new String[0]))
        .replaceAll("(?m)^walk.go.*\n", "");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> objects(String text) {
    List<Map<String, Object>> objects = new ArrayList<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(text)
        .forEach(
            object -> {
              if (object != null) {
                objects.add((Map<String, Object>) object);
              }
            });
    return objects;
  }

  private static Map<String, Object> object(
      List<Map<String, Object>> objects, String kind, String name) {
    return objects.stream()
        .filter(object -> object.get("kind").equals(kind))
        .filter(object -> map(object, "metadata").get("name").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Map<String, Object> from, String... path) {
    Map<String, Object> at = from;
    for (String key : path) {
      at = (Map<String, Object>) at.get(key);
    }
    return at;
  }

  static Stream<List<String>> settings() {
    List<String> all = new ArrayList<>(EVERYTHING);
    all.addAll(CLUSTER);
    return Stream.of(
        List.of(),
        List.of("token.existingSecret=mine", "storage.existingClaim=disk"),
        List.of("collector.service.type=ClusterIP"),
        List.of("collector.service.enabled=false"),
        EVERYTHING,
        all);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void objectsAreValidForVersionsOfKubernetes(List<String> settings) throws Exception {
    Path objects = Files.writeString(directory.resolve("objects.yaml"), template(settings));
    String python = PythonPackages.install("kubernetes-schemas", SCHEMAS);
    long ours =
        objects(Files.readString(objects)).stream()
            .filter(object -> !OF_OPERATORS.contains(object.get("kind")))
            .count();
    for (String version : List.of("1.25", "1.31", "1.37")) {
      String result =
          ChildProcess.check(
              python, "-m", "kubernetes_validate", "--strict", "-k", version, objects.toString());
      assertThat(result.lines().filter(line -> line.contains(" passed for resource ")))
          .as(result)
          .hasSize((int) ours);
    }
    if (settings.containsAll(EVERYTHING)) {
      assertThat(GoTools.run(GoTools.CHECK, "objects", objects.toString()))
          .contains("valid ServiceMonitor", "valid PrometheusRule");
    }
  }

  @Test
  void theChartHasNoWarnings() throws IOException {
    assertThat(GoTools.run(GoTools.HELM, "lint", "--strict", CHART.toString()))
        .contains("0 chart(s) failed");
  }

  @ParameterizedTest
  @MethodSource("settings")
  void theConfigurationIsOneOfMillrace(List<String> settings) throws IOException {
    Map<String, Object> map =
        map(object(objects(template(settings)), "ConfigMap", "flows-millrace"), "data");
    String text = ((String) map.get("millrace.yaml")).replace("/etc/millrace/", directory + "/");
    Files.createDirectories(directory.resolve("token"));
    Files.writeString(directory.resolve("token/token"), "0123456789abcdef");
    MillraceConfig config =
        ConfigFile.read(Files.writeString(directory.resolve("millrace.yaml"), text));
    assertThat(config.data()).isEqualTo(Path.of("/var/lib/millrace/data"));
    assertThat(config.http().hosts()).contains("flows-millrace.monitoring.svc");
    assertThat(config.collector().listen()).hasSize(3);
    assertThat(config.store().listen() != null).isEqualTo(settings.containsAll(CLUSTER));
  }

  @Test
  void theProcessIsNotRootAndItsFileSystemIsReadOnly() throws IOException {
    Map<String, Object> pod =
        map(
            object(objects(template(List.of())), "StatefulSet", "flows-millrace"),
            "spec",
            "template",
            "spec");
    assertThat(map(pod, "securityContext")).containsEntry("runAsNonRoot", true);
    assertThat(pod).containsEntry("automountServiceAccountToken", false);
    Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
    assertThat(container.get("image")).isEqualTo("millrace:0.1.0");
    assertThat(container.get("securityContext"))
        .isEqualTo(
            Map.of(
                "readOnlyRootFilesystem",
                true,
                "allowPrivilegeEscalation",
                false,
                "capabilities",
                Map.of("drop", List.of("ALL"))));
  }

  /** The chart has links, and no copies. */
  @Test
  void alertsAndDashboardsAreThoseOfTheOtherDirectories() throws IOException {
    List<Map<String, Object>> objects = objects(template(EVERYTHING));
    String rules = Files.readString(Path.of("..", "deploy", "prometheus", "millrace.rules.yml"));
    assertThat(map(object(objects, "PrometheusRule", "flows-millrace"), "spec"))
        .isEqualTo(objects(rules).get(0));
    Map<String, Object> dashboards =
        map(object(objects, "ConfigMap", "flows-millrace-dashboards"), "data");
    assertThat(dashboards).hasSameSizeAs(GrafanaSql.dashboards());
    for (Path file : GrafanaSql.dashboards()) {
      assertThat(
              new ObjectMapper().readTree((String) dashboards.get(file.getFileName().toString())))
          .isEqualTo(new ObjectMapper().readTree(file.toFile()));
    }
  }

  @Test
  void aClusterNeedsKafkaAndABucket() {
    assertThatThrownBy(() -> template(List.of("cluster.enabled=true")))
        .hasMessageContaining("cluster.kafka: the addresses of an external Kafka are required");
    assertThatThrownBy(() -> template(List.of("cluster.enabled=true", "cluster.kafka=k:9092")))
        .hasMessageContaining("cluster.bucket: a bucket for checkpoints is required");
  }

  @Test
  void unknownValuesAreRejected() {
    assertThatThrownBy(() -> template(List.of("colector.hostPort=true")))
        .hasMessageContaining("colector");
  }

  /** Settings that both ways to run Flink have must not differ. */
  @Test
  void flinkIsConfiguredAsElsewhere() throws IOException {
    Map<String, Object> flink =
        map(
            object(objects(template(CLUSTER)), "FlinkDeployment", "flows-millrace-flink"),
            "spec",
            "flinkConfiguration");
    Map<String, Object> elsewhere =
        objects(Files.readString(Path.of("..", "deploy", "flink", "config.yaml"))).get(0);
    flink.forEach(
        (key, value) -> {
          if (elsewhere.containsKey(key)
              && !key.startsWith("heartbeat.")
              && !key.equals("execution.checkpointing.dir")) {
            assertThat(value.toString())
                .as(key)
                .isEqualToIgnoringCase(elsewhere.get(key).toString());
          }
        });
    assertThat(flink).containsEntry("s3.endpoint", "http://minio:9000");
  }
}
