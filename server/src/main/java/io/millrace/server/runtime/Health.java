package io.millrace.server.runtime;

import io.millrace.engine.webhook.Webhook;
import io.millrace.pulse.Pulse;
import io.millrace.server.api.HttpServer;
import io.millrace.server.collect.Doctor;
import io.millrace.server.flight.FlightListener;
import io.millrace.server.ingest.IngestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Problems of a process. {@code flight} is null if disabled or not started. Thread-safe. */
record Health(
    MillraceConfig config,
    OpenStore store,
    Jobs jobs,
    Inputs inputs,
    HttpServer http,
    Supplier<FlightListener> flight) {

  /**
   * Parts that have ended, so that only a restart of the process starts them again. A full disk is
   * not among them.
   */
  List<String> ended() {
    return Pulse.all().stream()
        .filter(Pulse::hasEnded)
        .flatMap(pulse -> pulse.problem().stream())
        .toList();
  }

  List<String> stopped() {
    List<String> problems = new ArrayList<>();
    for (Pulse pulse : Pulse.all()) {
      pulse.problem().ifPresent(problems::add);
    }
    problems.addAll(jobs.failures());
    store.store().problem().ifPresent(problems::add);
    return problems;
  }

  List<String> problems() {
    List<String> problems = stopped();
    problems.addAll(store.store().delays());
    problems.addAll(jobs.problems(this::howToSubmit));
    problems.addAll(inputs.problems());
    jobs.webhooks().forEach(webhook -> problems.addAll(problems(webhook)));
    Optional.ofNullable(flight.get()).flatMap(FlightListener::problem).ifPresent(problems::add);
    return problems;
  }

  private static List<String> problems(Webhook webhook) {
    List<String> problems = new ArrayList<>();
    if (!webhook.failure().isEmpty()) {
      problems.add(
          "webhook %s is retrying, %s: results stay in its topic; check its receiver"
              .formatted(webhook.name(), webhook.failure()));
    }
    if (webhook.rejected() > 0) {
      problems.add(
          "webhook %s: receiver rejected %d results, which were skipped; see its log, and its responses in Millrace's log"
              .formatted(webhook.name(), webhook.rejected()));
    }
    return problems;
  }

  private String howToSubmit(String pipeline) {
    return "submit one (millrace submit %s --store %s …), or see Flink's dashboard"
        .formatted(pipeline, Inputs.text(store.listener().orElseThrow().address()));
  }

  Doctor.Facts facts() {
    return new Doctor.Facts(
        System.currentTimeMillis() * 1_000,
        inputs.listening(),
        config.collector().receiveBufferBytes(),
        inputs.collector().receiveBufferBytes(),
        inputs.collector().countsKernelDrops(),
        Stream.of(
                problems(),
                http.admission().recentRejections(),
                inputs.ingest().map(IngestServer::recentRejections).orElse(List.of()))
            .flatMap(List::stream)
            .toList());
  }
}
