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

/**
 * What is wrong with a process, gathered from its parts. Thread-safe.
 *
 * @param flight null where it is switched off, or not made yet
 */
record Health(
    MillraceConfig config,
    OpenStore store,
    Jobs jobs,
    Inputs inputs,
    HttpServer http,
    Supplier<FlightListener> flight) {

  /** What does not go on by itself, one line each; empty while all parts are alive. */
  List<String> stopped() {
    List<String> problems = new ArrayList<>();
    for (Pulse pulse : Pulse.all()) {
      pulse.problem().ifPresent(problems::add);
    }
    problems.addAll(jobs.failures());
    store.store().problem().ifPresent(problems::add);
    return problems;
  }

  /** What is wrong now, one line each; empty while all is well. */
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
          "webhook %s waits, %s: results are kept in its topic, see that its receiver answers"
              .formatted(webhook.name(), webhook.failure()));
    }
    if (webhook.refused() > 0) {
      problems.add(
          "webhook %s: its receiver refused %d results, which were passed over: see its log, and the log of Millrace for its answer"
              .formatted(webhook.name(), webhook.refused()));
    }
    return problems;
  }

  private String howToSubmit(String pipeline) {
    return "submit one (millrace submit %s --store %s …), or see the cluster's dashboard"
        .formatted(pipeline, Inputs.text(store.listener().orElseThrow().address()));
  }

  /** What the doctor needs to know besides the ledger. */
  Doctor.Facts facts() {
    return new Doctor.Facts(
        System.currentTimeMillis() * 1_000,
        inputs.listening(),
        config.collector().receiveBufferBytes(),
        inputs.collector().receiveBufferBytes(),
        inputs.collector().kernelTells(),
        Stream.of(
                problems(),
                http.answers().refusals(),
                inputs.ingest().map(IngestServer::refusals).orElse(List.of()))
            .flatMap(List::stream)
            .toList());
  }
}
