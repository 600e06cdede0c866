package io.millrace.server.collect;

import io.millrace.server.collect.Finding.Stage;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.RejectReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds out from the numbers of {@link LossLedger} why datagrams are lost or make no rows, by stage
 * and cause, and says what to do about it. Pure functions of their arguments.
 */
public final class Doctor {
  private static final long SILENCE_MICROS = 60_000_000;
  private static final long MAX_SKEW_MICROS = 10_000_000;

  /** Reasons of sound bytes that are told as well. */
  private static final Set<RejectReason> IMPOSSIBLE =
      Set.of(RejectReason.IMPOSSIBLE_RATE, RejectReason.IMPOSSIBLE_COUNT);

  /**
   * What the doctor knows besides the ledger.
   *
   * @param nowMicros the time, microseconds since the epoch
   * @param listening the addresses that we receive on, as text
   * @param askedBufferBytes receive buffer as configured
   * @param grantedBufferBytes receive buffer as the kernel gave it
   * @param kernelTells whether this system counts what it drops at our sockets
   * @param problems what else is known to be wrong, one line each
   */
  public record Facts(
      long nowMicros,
      List<String> listening,
      int askedBufferBytes,
      int grantedBufferBytes,
      boolean kernelTells,
      List<String> problems) {

    /** Copies the lists. */
    public Facts {
      listening = List.copyOf(listening);
      problems = List.copyOf(problems);
    }
  }

  private Doctor() {}

  /** What is to say about an exporter, in the order of the stages; empty while all is well. */
  public static List<Finding> findings(LossLedger.Entry entry, Facts facts) {
    List<Finding> findings = new ArrayList<>();
    if (entry.key().isOthers()) {
      boolean isOfAll = entry.key().equals(ExporterKey.OTHERS);
      add(
          findings,
          Stage.NETWORK,
          isOfAll
              ? "more exporters than are counted one by one"
              : "more agents, domains or ports than are counted one by one for a sender",
          0,
          (isOfAll
                  ? "raise collector.max-exporters, if these are yours, or name their addresses"
                      + " under collector.known-exporters"
                  : "raise collector.max-exporters-per-sender, if these are yours")
              + "; otherwise see who sends: tcpdump -ni any udp");
    }
    network(entry, facts, findings);
    kernel(entry.collected(), facts, findings);
    collector(entry.collected(), findings);
    job(entry, findings);
    return findings;
  }

  /** Whether it was not heard of for longer than exporters that send at all are. */
  static boolean isSilent(ExporterStats stats, Facts facts) {
    return facts.nowMicros() - stats.lastSeenMicros() > SILENCE_MICROS;
  }

  private static void network(LossLedger.Entry entry, Facts facts, List<Finding> to) {
    ExporterStats stats = entry.collected();
    long silent = facts.nowMicros() - stats.lastSeenMicros();
    if (isSilent(stats, facts)) {
      add(to, Stage.NETWORK, "silent for " + duration(silent), 0, howToReachUs(facts));
    }
    if (stats.lostBefore() > 0) {
      add(
          to,
          Stage.NETWORK,
          facts.kernelTells() ? "lost before us" : "lost before us or at our socket",
          stats.lostBefore(),
          facts.kernelTells()
              ? "our socket did not drop these: look at the exporter's own drop counters, then at"
                  + " the links between, and give its traffic a priority"
              : "this system does not tell what it drops at a socket: raise"
                  + " collector.receive-buffer; if that changes nothing, look at the exporter and the"
                  + " links between");
    }
    if (Math.abs(stats.skewMicros()) > MAX_SKEW_MICROS) {
      add(
          to,
          Stage.NETWORK,
          "its clock is "
              + duration(Math.abs(stats.skewMicros()))
              + (stats.skewMicros() > 0 ? " behind" : " ahead"),
          0,
          "time is the arrival here and right all the same, flow_start and flow_end are off: set its"
              + " clock by NTP, and look whether it exports late");
    }
    if (stats.duplicates() > 0) {
      add(
          to,
          Stage.NETWORK,
          "arrive twice",
          stats.duplicates(),
          "their rows are counted twice: send to one address of ours only, and look for a mirror"
              + " port or a loop");
    }
    if (stats.resets() > 0) {
      add(
          to,
          Stage.NETWORK,
          "restarted " + times(stats.resets()),
          0,
          "what it lost around a restart cannot be known; if you did not restart it, look at its"
              + " log");
    }
    if (entry.doubts() > 0) {
      add(
          to,
          Stage.NETWORK,
          "sequence numbers leapt " + times(entry.doubts()),
          0,
          "neither a loss nor a restart explains it, so nothing is counted as lost: two exporters"
              + " may share an address and a number (sub-agent, source id), or somebody forges"
              + " datagrams");
    }
    if (stats.strays() > 0) {
      add(
          to,
          Stage.NETWORK,
          "sequence numbers that fit nowhere",
          stats.strays(),
          "two exporters may share an address and a number (sub-agent, source id): give each its"
              + " own");
    }
  }

  private static void kernel(ExporterStats stats, Facts facts, List<Finding> to) {
    if (stats.droppedByKernel() > 0) {
      add(
          to,
          Stage.KERNEL,
          "receive buffer was full",
          stats.droppedByKernel(),
          facts.grantedBufferBytes() < facts.askedBufferBytes()
              ? smallBuffer(facts.askedBufferBytes(), facts.grantedBufferBytes())
              : "the reader gets too little processor time: raise collector.receive-buffer for"
                  + " bursts, give the machine a core more for a steady load");
    }
  }

  private static void collector(ExporterStats stats, List<Finding> to) {
    if (stats.lostWhileDown() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "sent while Millrace was down, or in its buffers when it was killed",
          stats.lostWhileDown(),
          "nothing to do if you stopped it with SIGTERM (Ctrl-C), which reads what has arrived;"
              + " otherwise see why it ended");
    }
    if (stats.refused() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "the log had no room",
          stats.refused(),
          "the log takes less than arrives: see whether its disk is full or slow, or look at the brokers of --kafka");
    }
    if (stats.failed() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "the log gave up writing",
          stats.failed(),
          "the log was out of reach for long: look at its disk space, or at the brokers of --kafka");
    }
    if (stats.lostAtStop() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "on the way into the log when Millrace was killed",
          stats.lostAtStop(),
          "stop it with SIGTERM (Ctrl-C), which loses nothing that has arrived");
    }
  }

  private static void job(LossLedger.Entry entry, List<Finding> to) {
    JobCounts.Count job = entry.job();
    if (entry.expired() > 0) {
      add(
          to,
          Stage.JOB,
          "deleted from the log before the job read them",
          entry.expired(),
          "the job was behind by more than the log keeps: raise log.retention-size, or give the job"
              + " more cores");
    }
    for (Map.Entry<RejectReason, Long> reject : job.rejects().entrySet()) {
      boolean isMalformed = reject.getKey().malformed();
      if ((isMalformed || IMPOSSIBLE.contains(reject.getKey())) && reject.getValue() > 0) {
        add(
            to,
            Stage.JOB,
            (isMalformed ? "malformed: " : "")
                + reject.getKey().label()
                + " "
                + times(reject.getValue()),
            0,
            advice(reject.getKey()));
      }
    }
    long twice = job.records().bothSidesRows();
    if (twice > 0) {
      add(
          to,
          Stage.JOB,
          String.format(
              Locale.ROOT, "traffic is counted twice: %,d rows of %,d", twice, job.rows()),
          0,
          "ports on both sides of these packets are sampled, on the way in and on the way out: sample"
              + " one of the two, or count WHERE direction IS DISTINCT FROM 1");
    }
    if (entry.key().protocol().ordinal() > ExportProtocol.SFLOW.ordinal()) {
      records(entry, to);
      if (job.stored() > 0) {
        withoutRows(job, to);
        return;
      }
    }
    if (job.rows() > 0 || job.stored() == 0) {
      if (!entry.caughtUp() && job.rows() == 0 && job.malformed() == 0) {
        add(
            to,
            Stage.JOB,
            "the job has not read them yet",
            entry.inFlight(),
            "wait some seconds; if the number keeps rising, ./millrace status says what holds the"
                + " job");
      }
      return;
    }
    if (job.rejects(RejectReason.NOT_IP) > 0) {
      add(
          to,
          Stage.JOB,
          "no sampled packet is IP",
          0,
          "sample ports that carry IP traffic; encapsulations that we cannot look into are counted"
              + " here too");
    } else if (job.rejects(RejectReason.NO_PACKET) > 0) {
      add(
          to,
          Stage.JOB,
          "flow samples hold no packet",
          0,
          "let the agent send the sampled header (raw packet header record), 128 bytes of it");
    } else {
      add(
          to,
          Stage.JOB,
          "no flow samples in them",
          0,
          "the agent sends counters only: switch on packet sampling on its ports");
    }
  }

  private static void records(LossLedger.Entry entry, List<Finding> to) {
    JobCounts.Records records = entry.job().records();
    long lost = entry.lostRecords();
    if (lost > 0) {
      add(
          to,
          Stage.NETWORK,
          String.format(Locale.ROOT, "%,d flow records missing by their numbers", lost),
          0,
          "this protocol numbers records, not datagrams: look at the exporter's own drop counters,"
              + " at the links between, and at what the kernel dropped here");
    }
    if (entry.job().rejects(RejectReason.NO_TEMPLATE) > 0) {
      add(
          to,
          Stage.JOB,
          "data without a template " + times(entry.job().rejects(RejectReason.NO_TEMPLATE)),
          0,
          "let the exporter send its templates every minute or every 20 datagrams; until one comes,"
              + " data waits for flows.netflow.hold");
    } else if (entry.job().rows() == 0 && records.templates() == 0 && records.heldSets() > 0) {
      add(
          to,
          Stage.JOB,
          "data waits for its template",
          0,
          "it is kept and decoded when the template comes; let the exporter send templates every"
              + " minute");
    }
    if (records.templateChanges() > 0) {
      add(
          to,
          Stage.JOB,
          "templates changed their layout " + times(records.templateChanges()),
          0,
          "normal after a change of its configuration; if it goes on, two exporters share address,"
              + " port and observation domain: give each a domain of its own");
    }
    if (entry.job().rejects(RejectReason.TOO_MANY_TEMPLATES) > 0) {
      add(
          to,
          Stage.JOB,
          "more templates or exporters than are kept",
          0,
          "raise the bounds under flows.netflow, if these are yours; otherwise see who sends");
    }
    if (records.unsampledRows() > 0) {
      add(
          to,
          Stage.JOB,
          String.format(
              Locale.ROOT,
              "sampling rate unknown, counted as 1: %,d rows",
              records.unsampledRows()),
          0,
          "volumes are too small if it samples: let the exporter send its sampler options, or say the rate"
              + " under flows.sampling");
    }
    refusedRates(entry, to);
    if (records.shedRows() > 0) {
      add(
          to,
          Stage.JOB,
          String.format(Locale.ROOT, "%,d rows left out by load shedding", records.shedRows()),
          0,
          "the rates of the others were raised for them, so volumes are right; raise flows.valve to"
              + " keep more");
    }
  }

  /** With the value, where the exporter tells the same one each time, else with their mean. */
  private static void refusedRates(LossLedger.Entry entry, List<Finding> to) {
    for (JobCounts.RefusedRate refused : entry.job().refusedRates()) {
      add(
          to,
          Stage.JOB,
          String.format(
              Locale.ROOT,
              "sampling rate %,d refused %s: %s",
              refused.rate(),
              times(refused.times()),
              refused.reason().label()),
          0,
          advice(refused.reason()));
    }
  }

  private static void withoutRows(JobCounts.Count job, List<Finding> to) {
    boolean waits = job.rejects(RejectReason.NO_TEMPLATE) + job.records().heldSets() > 0;
    if (job.rows() == 0 && !waits) {
      add(
          to,
          Stage.JOB,
          job.records().templates() > 0 ? "templates, and no flow records" : "no flow records",
          0,
          "it exports options or counters only: attach its flow monitor to the interfaces, and see"
              + " that the records have addresses");
    }
  }

  /** What to do against a reject, whether it is of datagrams or of messages. */
  static String advice(RejectReason reason) {
    return switch (reason) {
      case UNKNOWN_PROTOCOL ->
          "set the exporter to sFlow version 5, NetFlow version 5 or 9, or IPFIX; the bytes are in"
              + " the log and can be replayed when we know the protocol";
      case UNSUPPORTED_VERSION -> "set the exporter to sFlow version 5";
      case BAD_HEADER, TRUNCATED_DATAGRAM ->
          "datagrams arrive cut off: set the agent's maximum datagram size below the path's MTU"
              + " (1,400 bytes suit most)";
      case BAD_SAMPLE_LENGTH, BAD_RECORD_LENGTH ->
          "the agent breaks the sFlow format: see the dead letters for the bytes, and look for"
              + " newer firmware";
      case BAD_SET_LENGTH, BAD_TEMPLATE ->
          "the exporter breaks its own protocol, or its datagrams arrive cut off: see the dead"
              + " letters for the bytes, and look for newer firmware";
      case BAD_MESSAGE -> "see that kafka.in.topics and kafka.in.format are those of the messages";
      case DECODER_FAILED ->
          "a fault of ours: see the dead letters for the bytes and the job's log for where it"
              + " failed, and report both";
      case STORE_REFUSED ->
          "rows are missing: SELECT * FROM refused_rows shows them with the reason; report it, the"
              + " bytes are in the log and can be replayed when it is mended";
      case IMPOSSIBLE_RATE, IMPOSSIBLE_COUNT ->
          "the exporter tells numbers that cannot be: look at its sampling configuration and for"
              + " newer firmware, or see who else sends in its name";
      case BAD_SAMPLING_ALGORITHM, BAD_SAMPLING_INTERVAL, BAD_SAMPLING_RATIO ->
          "the rate is not used, and one told before stays: look for newer firmware, and say the"
              + " rate under flows.sampling";
      case BAD_LOG_VALUE -> "something else writes to our topic: give it one of its own";
      case NOT_IP,
          NO_PACKET,
          UNKNOWN_SAMPLE,
          NO_TEMPLATE,
          TOO_MANY_TEMPLATES,
          UNKNOWN_SET,
          ODD_OPTIONS_LENGTH ->
          "nothing to do";
    };
  }

  /** One line on a receive buffer that is smaller than asked for. */
  static String smallBuffer(int askedBytes, int grantedBytes) {
    return String.format(
        Locale.ROOT,
        "the kernel gave %,d KiB of the %,d KiB asked for as receive buffer; allow more with"
            + " sysctl -w net.core.rmem_max=%d and restart",
        grantedBytes >> 10,
        askedBytes >> 10,
        askedBytes);
  }

  /** What to do where nothing comes. */
  static String howToReachUs(Facts facts) {
    return "see that the exporter runs and sends to us ("
        + String.join(", ", facts.listening())
        + "), and that no firewall is between: tcpdump -ni any udp shows what reaches this machine";
  }

  private static void add(
      List<Finding> to, Stage stage, String cause, long datagrams, String advice) {
    to.add(new Finding(stage, cause, datagrams, advice));
  }

  private static String times(long n) {
    return n == 1 ? "once" : String.format(Locale.ROOT, "%,d times", n);
  }

  private static String duration(long micros) {
    long seconds = micros / 1_000_000;
    if (seconds < 120) {
      return seconds + " s";
    }
    return seconds < 7_200 ? seconds / 60 + " min" : seconds / 3_600 + " h";
  }
}
