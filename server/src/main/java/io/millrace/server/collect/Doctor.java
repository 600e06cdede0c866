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
 * Derives findings from the {@link LossLedger}: why datagrams are lost or produce no rows, by stage
 * and cause, with a remedy. Pure functions.
 */
public final class Doctor {
  private static final long IDLE_MICROS = 60_000_000;
  private static final long MAX_SKEW_MICROS = 10_000_000;

  private static final Set<RejectReason> IMPOSSIBLE =
      Set.of(RejectReason.IMPOSSIBLE_RATE, RejectReason.IMPOSSIBLE_COUNT);

  /**
   * Inputs in addition to the ledger.
   *
   * @param nowMicros current time, microseconds since the epoch
   * @param listening listen addresses, as text
   * @param requestedBufferBytes configured receive buffer
   * @param grantedBufferBytes receive buffer that the kernel granted
   * @param countsKernelDrops whether the system counts drops at the sockets
   * @param problems other problems, one line each
   */
  public record Facts(
      long nowMicros,
      List<String> listening,
      int requestedBufferBytes,
      int grantedBufferBytes,
      boolean countsKernelDrops,
      List<String> problems) {

    /** Copies the lists. */
    public Facts {
      listening = List.copyOf(listening);
      problems = List.copyOf(problems);
    }
  }

  private Doctor() {}

  /** Findings about an exporter, in the order of the stages. */
  public static List<Finding> findings(LossLedger.Entry entry, Facts facts) {
    List<Finding> findings = new ArrayList<>();
    if (entry.key().isOthers()) {
      boolean isOfAll = entry.key().equals(ExporterKey.OTHERS);
      add(
          findings,
          Stage.NETWORK,
          isOfAll
              ? "more exporters than are counted individually"
              : "more agents, domains or ports of one sender than are counted individually",
          0,
          (isOfAll
                  ? "raise collector.max-exporters, if these are legitimate, or list their addresses"
                      + " under collector.known-exporters"
                  : "raise collector.max-exporters-per-sender, if these are legitimate")
              + "; otherwise identify the senders: tcpdump -ni any udp");
    }
    network(entry, facts, findings);
    kernel(entry.collected(), facts, findings);
    collector(entry.collected(), findings);
    job(entry, findings);
    return findings;
  }

  static boolean isSilent(ExporterStats stats, Facts facts) {
    return facts.nowMicros() - stats.lastSeenMicros() > IDLE_MICROS;
  }

  private static void network(LossLedger.Entry entry, Facts facts, List<Finding> to) {
    ExporterStats stats = entry.collected();
    long silent = facts.nowMicros() - stats.lastSeenMicros();
    if (isSilent(stats, facts)) {
      add(to, Stage.NETWORK, "silent for " + duration(silent), 0, reachabilityAdvice(facts));
    }
    if (stats.lostBefore() > 0) {
      add(
          to,
          Stage.NETWORK,
          facts.countsKernelDrops()
              ? "lost before arrival"
              : "lost before arrival or at the socket",
          stats.lostBefore(),
          facts.countsKernelDrops()
              ? "not dropped at the socket: check the exporter's drop counters, then"
                  + " the links between; give export traffic its own queue"
              : "this system does not count drops at sockets: raise"
                  + " collector.receive-buffer; if that changes nothing, check the exporter and the"
                  + " links between");
    }
    if (Math.abs(stats.skewMicros()) > MAX_SKEW_MICROS) {
      add(
          to,
          Stage.NETWORK,
          "its clock is "
              + duration(Math.abs(stats.skewMicros()))
              + (stats.skewMicros() > 0 ? " slow" : " fast"),
          0,
          "time is the arrival at the collector and correct; flow_start and flow_end are off: set the"
              + " exporter's clock by NTP, and check for delayed export");
    }
    if (stats.duplicates() > 0) {
      add(
          to,
          Stage.NETWORK,
          "duplicate datagrams",
          stats.duplicates(),
          "their rows are counted twice: send to one listen address only, and check for a mirror"
              + " port or a loop");
    }
    if (stats.resets() > 0) {
      add(
          to,
          Stage.NETWORK,
          "restarted " + times(stats.resets()),
          0,
          "losses around a restart are unknown; if the restart was unplanned, check its" + " log");
    }
    if (entry.doubts() > 0) {
      add(
          to,
          Stage.NETWORK,
          "sequence numbers jumped " + times(entry.doubts()),
          0,
          "not explained by loss or restart, so nothing is counted as lost: two exporters"
              + " may share an address and a number (sub-agent, source id), or datagrams are"
              + " forged");
    }
    if (stats.strays() > 0) {
      add(
          to,
          Stage.NETWORK,
          "sequence numbers out of range",
          stats.strays(),
          "two exporters may share an address and a number (sub-agent, source id): configure different"
              + " ones");
    }
  }

  private static void kernel(ExporterStats stats, Facts facts, List<Finding> to) {
    if (stats.droppedByKernel() > 0) {
      add(
          to,
          Stage.KERNEL,
          "receive buffer full",
          stats.droppedByKernel(),
          facts.grantedBufferBytes() < facts.requestedBufferBytes()
              ? smallBuffer(facts.requestedBufferBytes(), facts.grantedBufferBytes())
              : "the reader lacks processor time: raise collector.receive-buffer for"
                  + " bursts, or add a core for a sustained load");
    }
  }

  private static void collector(ExporterStats stats, List<Finding> to) {
    if (stats.lostWhileDown() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "sent while Millrace was down, or in its buffers when it was killed",
          stats.lostWhileDown(),
          "none needed after a stop with SIGTERM (Ctrl-C), which drains the sockets;"
              + " otherwise find out why it ended");
    }
    if (stats.rejected() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "log buffer full",
          stats.rejected(),
          "the log is slower than the input: check its disk for space and speed, or the brokers of --kafka");
    }
    if (stats.failed() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "log writes timed out",
          stats.failed(),
          "the log was unavailable: check its disk space, or the brokers of --kafka");
    }
    if (stats.lostAtStop() > 0) {
      add(
          to,
          Stage.COLLECTOR,
          "not yet in the log when Millrace was killed",
          stats.lostAtStop(),
          "stop it with SIGTERM (Ctrl-C), which loses no received datagram");
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
          "the job lagged by more than the log retains: raise log.retention-size, or give the job"
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
          "ports on both sides of these packets are sampled, ingress and egress: sample"
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
            "not read by the job yet",
            entry.inFlight(),
            "wait some seconds; if the number keeps rising, millrace status shows the bottleneck of the"
                + " job");
      }
      return;
    }
    if (job.rejects(RejectReason.NOT_IP) > 0) {
      add(
          to,
          Stage.JOB,
          "no sampled IP packets",
          0,
          "sample ports that carry IP traffic; unsupported encapsulations are counted"
              + " here too");
    } else if (job.rejects(RejectReason.NO_PACKET) > 0) {
      add(
          to,
          Stage.JOB,
          "flow samples without a packet",
          0,
          "configure the agent to send 128 bytes of the sampled header (raw packet header record)");
    } else {
      add(
          to,
          Stage.JOB,
          "no flow samples",
          0,
          "the agent sends counters only: enable packet sampling on its ports");
    }
  }

  private static void records(LossLedger.Entry entry, List<Finding> to) {
    JobCounts.Records records = entry.job().records();
    long lost = entry.lostRecords();
    if (lost > 0) {
      add(
          to,
          Stage.NETWORK,
          String.format(Locale.ROOT, "%,d flow records missing, by sequence numbers", lost),
          0,
          "this protocol numbers records, not datagrams: check the exporter's drop counters,"
              + " the links between, and the kernel's drops");
    }
    if (entry.job().rejects(RejectReason.NO_TEMPLATE) > 0) {
      add(
          to,
          Stage.JOB,
          "data without a template " + times(entry.job().rejects(RejectReason.NO_TEMPLATE)),
          0,
          "configure the exporter to send templates every minute or every 20 datagrams; until then"
              + " data is held for flows.netflow.hold");
    } else if (entry.job().rows() == 0 && records.templates() == 0 && records.heldSets() > 0) {
      add(
          to,
          Stage.JOB,
          "data held for its template",
          0,
          "it is decoded when the template arrives; configure the exporter to send templates every"
              + " minute");
    }
    if (records.templateChanges() > 0) {
      add(
          to,
          Stage.JOB,
          "template layout changed " + times(records.templateChanges()),
          0,
          "normal after a configuration change; if it continues, two exporters share address,"
              + " port and observation domain: configure different domains");
    }
    if (entry.job().rejects(RejectReason.TOO_MANY_TEMPLATES) > 0) {
      add(
          to,
          Stage.JOB,
          "template limit reached",
          0,
          "raise the limits under flows.netflow, if these are legitimate; otherwise identify the senders");
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
          "volumes are too small if it samples: configure the exporter to send sampler options, or set the rate"
              + " under flows.sampling");
    }
    rejectedRates(entry, to);
    if (records.shedRows() > 0) {
      add(
          to,
          Stage.JOB,
          String.format(Locale.ROOT, "%,d rows shed", records.shedRows()),
          0,
          "the sampling rates of the others were raised, so volumes are correct; raise flows.max-rows-per-second to"
              + " keep more");
    }
  }

  private static void rejectedRates(LossLedger.Entry entry, List<Finding> to) {
    for (JobCounts.RejectedRate rejected : entry.job().rejectedRates()) {
      add(
          to,
          Stage.JOB,
          String.format(
              Locale.ROOT,
              "sampling rate %,d rejected %s: %s",
              rejected.rate(),
              times(rejected.times()),
              rejected.reason().label()),
          0,
          advice(rejected.reason()));
    }
  }

  private static void withoutRows(JobCounts.Count job, List<Finding> to) {
    boolean waits = job.rejects(RejectReason.NO_TEMPLATE) + job.records().heldSets() > 0;
    if (job.rows() == 0 && !waits) {
      add(
          to,
          Stage.JOB,
          job.records().templates() > 0 ? "templates but no flow records" : "no flow records",
          0,
          "it exports options or counters only: attach its flow monitor to the interfaces, and check"
              + " that its records have addresses");
    }
  }

  static String advice(RejectReason reason) {
    return switch (reason) {
      case UNKNOWN_PROTOCOL ->
          "set the exporter to sFlow version 5, NetFlow version 5 or 9, or IPFIX; the bytes are in"
              + " the log and can be replayed once the protocol is supported";
      case UNSUPPORTED_VERSION -> "set the exporter to sFlow version 5";
      case BAD_HEADER, TRUNCATED_DATAGRAM ->
          "datagrams are truncated: set the agent's maximum datagram size below the path's MTU"
              + " (1,400 bytes suit most)";
      case BAD_SAMPLE_LENGTH, BAD_RECORD_LENGTH ->
          "the agent violates the sFlow format: see the dead letters for the bytes, and check for"
              + " newer firmware";
      case BAD_SET_LENGTH, BAD_TEMPLATE ->
          "the exporter violates its protocol, or datagrams are truncated: see the dead"
              + " letters for the bytes, and check for newer firmware";
      case BAD_MESSAGE -> "check that kafka.in.topics and kafka.in.format match the messages";
      case DECODER_FAILED ->
          "a bug in Millrace: see the dead letters for the bytes and the job's log for the stack"
              + " trace, and report both";
      case STORE_REJECTED ->
          "rows are missing: SELECT * FROM rejected_rows shows them with the reason; report it; the"
              + " bytes are in the log and can be replayed after a fix";
      case IMPOSSIBLE_RATE, IMPOSSIBLE_COUNT ->
          "the exporter sends impossible numbers: check its sampling configuration and for"
              + " newer firmware, or find spoofed datagrams";
      case BAD_SAMPLING_ALGORITHM, BAD_SAMPLING_INTERVAL, BAD_SAMPLING_RATIO ->
          "the rate is ignored and an earlier one kept: check for newer firmware, and set the"
              + " rate under flows.sampling";
      case BAD_LOG_VALUE -> "another program writes to Millrace's topic: use a separate topic";
      case NOT_IP,
          NO_PACKET,
          UNKNOWN_SAMPLE,
          NO_TEMPLATE,
          TOO_MANY_TEMPLATES,
          UNKNOWN_SET,
          ODD_OPTIONS_LENGTH ->
          "none needed";
    };
  }

  static String smallBuffer(int requestedBytes, int grantedBytes) {
    return String.format(
        Locale.ROOT,
        "the kernel granted %,d KiB of the requested receive buffer of %,d KiB; allow more with"
            + " sysctl -w net.core.rmem_max=%d and restart",
        grantedBytes >> 10,
        requestedBytes >> 10,
        requestedBytes);
  }

  static String reachabilityAdvice(Facts facts) {
    return "check that the exporter runs and sends to this collector ("
        + String.join(", ", facts.listening())
        + ") and that no firewall blocks it: tcpdump -ni any udp shows what arrives";
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
