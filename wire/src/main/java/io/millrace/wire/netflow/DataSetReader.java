package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NameText;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.PacketHeaderParser;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Reads the records of one data set: flows become rows, options are taken to heart.
 *
 * <p>Records of fixed length that are nothing but numbers are written all at once; those with
 * variable lengths, packets or a reverse direction one by one.
 */
final class DataSetReader {
  private final SamplingDefaults defaults;
  private final Sessions sessions;
  private final RecordReader records = new RecordReader();
  private final PacketHeaderParser packets;
  private final Notes notes;

  // The fields of the record at hand, in the order of the template and in the steps of a plan.
  private final int[] fieldOffset;
  private final int[] fieldLength;
  private final int[] stepOffset = new int[FlowField.COUNT];
  private final int[] stepLength = new int[FlowField.COUNT];

  private byte[] bytes;
  private Template.Plans plans; // of the set in hand
  private FlowBlock out;
  private Session session;
  private long timeMicros;
  private long exportMicros;
  private int uptime;
  private int headerRate;

  DataSetReader(NetflowConfig config, Sessions sessions, Notes notes) {
    this.sessions = sessions;
    defaults = config.samplingDefaults();
    packets = new PacketHeaderParser(config.layer());
    this.notes = notes;
    int fields = Math.max(config.maxFields(), NetflowLayout.V5_RECORD.length);
    fieldOffset = new int[fields];
    fieldLength = new int[fields];
  }

  /** Takes what all sets of a message share. {@code rate} is the header's; 0: none. */
  void begin(
      FlowBlock block,
      Session of,
      long arrivalMicros,
      long sentMicros,
      int uptimeMillis,
      int rate) {
    out = block;
    session = of;
    timeMicros = arrivalMicros;
    exportMicros = sentMicros;
    uptime = uptimeMillis;
    headerRate = rate;
  }

  /** Reads the records in [{@code at}, {@code end}) and gives their number, rows or not. */
  int read(Template template, byte[] b, int at, int end) {
    bytes = b;
    plans = template.plans();
    boolean hasUptime = session.key.version() != NetflowLayout.VERSION_IPFIX;
    if (!hasUptime && session.systemInitMillis >= 0) {
      hasUptime = true;
      uptime = (int) (exportMicros / 1000 - session.systemInitMillis);
    }
    records.begin(out, b, exportMicros, uptime, hasUptime);
    boolean oneByOne =
        template.isVariable
            || template.isOptions
            || plans.hasSection()
            || plans.reverse() != null
            || plans.fields().has(FlowField.SYSTEM_INIT);
    if (!oneByOne) {
      int n = (end - at) / template.minLength;
      if (plans.isFlow()) {
        rows(template, at, n);
      } else {
        notFlows(template, at, n);
      }
      return n;
    }
    int count = 0;
    while (end - at >= template.minLength) {
      int behind = template.isVariable ? walk(template, at, end) : at + template.minLength;
      if (behind < 0) {
        notes.reject(RejectReason.BAD_RECORD_LENGTH, at);
        break;
      }
      record(template, at);
      count++;
      at = behind;
    }
    return count;
  }

  private void notFlows(Template template, int at, int n) {
    for (int i = 0; i < n; i++) {
      notes.reject(RejectReason.NOT_IP, at + i * template.minLength);
    }
  }

  private void rows(Template template, int at, int n) {
    out.reserve(n);
    FieldPlan plan = plans.fields();
    int from = out.rows();
    int to = from + n;
    records.fillUnknown(plan, from, to);
    records.fill(plan, plan.offset, plan.length, at, template.minLength, from, to);
    if (RecordRules.hasPorts(plan)) {
      for (int row = from, base = at; row < to; row++, base += template.minLength) {
        RecordRules.ports(plan, bytes, base, plan.offset, plan.length, out, row);
      }
    } else if (RecordRules.hasIcmpInPort(plan)) {
      RecordRules.icmpInPort(out, from, to);
    }
    sampling(plan, plan.offset, plan.length, at, template.minLength, from, to);
    finish(to);
    leaveOutImpossible(plan, at, template.minLength, from);
  }

  /** Notes where the record's fields are, and gives where it ends; -1 if it does not fit. */
  private int walk(Template template, int at, int end) {
    int base = at;
    int[] length = template.length;
    for (int i = 0; i < length.length; i++) {
      int bytesOfField = length[i];
      if (bytesOfField == NetflowLayout.VARIABLE_LENGTH) {
        if (at >= end) {
          return -1;
        }
        bytesOfField = bytes[at++] & 0xFF;
        if (bytesOfField == NetflowLayout.LONG_LENGTH_FOLLOWS) {
          if (end - at < 2) {
            return -1;
          }
          bytesOfField = u16(bytes, at);
          at += 2;
        }
      }
      if (bytesOfField > end - at) {
        return -1;
      }
      fieldOffset[i] = at - base;
      fieldLength[i] = bytesOfField;
      at += bytesOfField;
    }
    return at;
  }

  private void place(Template template, FieldPlan plan) {
    int steps = plan.fields.length;
    if (!template.isVariable) {
      System.arraycopy(plan.offset, 0, stepOffset, 0, steps);
      System.arraycopy(plan.length, 0, stepLength, 0, steps);
      return;
    }
    for (int s = 0; s < steps; s++) {
      stepOffset[s] = fieldOffset[plan.index[s]];
      stepLength[s] = fieldLength[plan.index[s]];
    }
  }

  private void record(Template template, int at) {
    FieldPlan plan = plans.fields();
    place(template, plan);
    systemInit(plan, at);
    if (template.isOptions) {
      options(template, at);
      return;
    }
    if (!plans.isFlow()) {
      notes.reject(RejectReason.NOT_IP, at);
      return;
    }
    out.reserve(2);
    int row = out.rows();
    records.fillUnknown(plan, row, row + 1);
    records.fill(plan, stepOffset, stepLength, at, 0, row, row + 1);
    if (plans.hasSection()
        && !RecordRules.section(packets, plan, bytes, at, stepOffset, stepLength, out, row)) {
      out.nullOptional(row, row + 1);
      notes.reject(RejectReason.NOT_IP, at);
      return;
    }
    RecordRules.ports(plan, bytes, at, stepOffset, stepLength, out, row);
    sampling(plan, stepOffset, stepLength, at, 0, row, row + 1);
    finish(row + 1);
    boolean isPossible = areCounts(plan, stepLength, row);
    boolean isReversePossible = true; // or not there
    if (plans.reverse() != null) {
      place(template, plans.reverse());
      if (hasCount(plans.reverse(), FlowField.BYTES, at)
          || hasCount(plans.reverse(), FlowField.PACKETS, at)) {
        reverse(row, at);
        isReversePossible = areCounts(plans.reverse(), stepLength, row + 1);
      }
    }
    if (!isPossible || !isReversePossible) {
      boolean isReverseKept = isReversePossible;
      keep(row, at, 0, each -> each == row ? isPossible : isReverseKept);
    }
  }

  /** Adds the other direction of a row behind it. */
  private void reverse(int row, int at) {
    int format = out.ints(FlowColumn.OUT_IF_FORMAT)[row];
    int etherType = out.ints(FlowColumn.ETHER_TYPE)[row];
    Biflow.reverse(out, row);
    records.fill(plans.reverse(), stepOffset, stepLength, at, 0, row + 1, row + 2);
    out.ints(FlowColumn.OUT_IF_FORMAT)[row + 1] = format;
    out.ints(FlowColumn.ETHER_TYPE)[row + 1] = etherType;
    out.logIndex()[row + 1] = row + 1;
    out.rows(row + 2);
    if (out.ints(FlowColumn.SAMPLING_RATE)[row] == Sampling.IMPOSSIBLE) {
      notes.reject(RejectReason.IMPOSSIBLE_RATE, at);
    } else if (out.ints(FlowColumn.SAMPLING_SOURCE)[row] == SamplingSource.NONE.code()) {
      notes.observer().unknownSampling(1);
    }
  }

  private boolean hasCount(FieldPlan plan, FlowField field, int at) {
    int i = plan.step(field);
    return i >= 0
        && stepLength[i] >= 1
        && stepLength[i] <= Long.BYTES
        && Numbers.number(bytes, at + stepOffset[i], stepLength[i]) != 0;
  }

  private void systemInit(FieldPlan plan, int at) {
    int i = plan.step(FlowField.SYSTEM_INIT);
    if (i < 0 || session.key.version() != NetflowLayout.VERSION_IPFIX) {
      return;
    }
    long millis = Numbers.number(bytes, at + stepOffset[i], stepLength[i]);
    if (millis > 0) {
      session.systemInitMillis = millis;
      uptime = (int) (exportMicros / 1000 - millis);
      records.begin(out, bytes, exportMicros, uptime, true);
    }
  }

  /** Options that tell a rate tell it of the sampler that they name, else of the whole domain. */
  private void options(Template template, int at) {
    names(template, at);
    FieldPlan plan = plans.fields();
    int rate = Sampling.rate(plan, bytes, at, stepOffset, stepLength);
    if (rate == Sampling.UNTOLD) {
      return;
    }
    int i = plan.step(FlowField.SAMPLER_ID);
    if (i >= 0) {
      sessions.putSampler(session, Numbers.number(bytes, at + stepOffset[i], stepLength[i]), rate);
    } else if (!template.isInterfaceScope) {
      session.domainRate = rate;
    }
  }

  private void names(Template template, int at) {
    NameFields fields = plans.names();
    if (fields == null) {
      return;
    }
    if (!template.isVariable) {
      for (int i = 0, offset = 0; i < template.fields(); offset += template.length[i++]) {
        fieldOffset[i] = offset;
        fieldLength[i] = template.length[i];
      }
    }
    int number = fields.number();
    long id = Numbers.number(bytes, at + fieldOffset[number], fieldLength[number]);
    String name = text(fields.name(), at);
    String description = text(fields.description(), at);
    if (id >= 0 && !(name.isEmpty() && description.isEmpty())) {
      notes.observer().name(fields.kind(), id, name, description);
    }
  }

  private String text(int field, int at) {
    return field < 0 ? "" : NameText.of(bytes, at + fieldOffset[field], fieldLength[field]);
  }

  private void sampling(
      FieldPlan plan, int[] offset, int[] length, int at, int step, int from, int to) {
    int[] rates = out.ints(FlowColumn.SAMPLING_RATE);
    int[] sources = out.ints(FlowColumn.SAMPLING_SOURCE);
    SamplingSource source = SamplingSource.DOMAIN;
    int rate = session.domainRate;
    if (rate == 0) {
      source = SamplingSource.HEADER;
      rate = headerRate;
    }
    if (rate == 0) {
      source = SamplingSource.CONFIGURATION;
      rate = Math.max(0, defaults.rate(session.key.high(), session.key.low()));
    }
    if (rate == 0) {
      source = SamplingSource.NONE;
      rate = 1;
    }
    boolean hasImpossible = rate == Sampling.IMPOSSIBLE;
    if (hasImpossible) {
      source = SamplingSource.NONE;
    }
    int untold = to - from;
    Arrays.fill(rates, from, to, rate);
    Arrays.fill(sources, from, to, source.code());
    boolean isTold = Sampling.isTold(plan);
    int sampler = plan.step(FlowField.SAMPLER_ID);
    if (isTold || sampler >= 0) {
      for (int row = from, base = at; row < to; row++, base += step) {
        int told = isTold ? Sampling.rate(plan, bytes, base, offset, length) : Sampling.UNTOLD;
        SamplingSource by = SamplingSource.RECORD;
        if (told == Sampling.UNTOLD && sampler >= 0) {
          told =
              session.samplers.rate(Numbers.number(bytes, base + offset[sampler], length[sampler]));
          by = SamplingSource.SAMPLER;
        }
        if (told != Sampling.UNTOLD) {
          boolean isImpossible = told == Sampling.IMPOSSIBLE;
          rates[row] = told;
          sources[row] = (isImpossible ? SamplingSource.NONE : by).code();
          hasImpossible |= isImpossible;
          untold--;
        }
      }
    }
    if (rate == 1 && source == SamplingSource.NONE && untold > 0) {
      notes.observer().unknownSampling(untold);
    }
    for (int row = from; hasImpossible && row < to; row++) {
      if (rates[row] == Sampling.IMPOSSIBLE) {
        notes.reject(RejectReason.IMPOSSIBLE_RATE, at + (row - from) * step);
      }
    }
  }

  /** Leaves out those of the last rows whose records have more bytes or packets than can be. */
  private void leaveOutImpossible(FieldPlan plan, int at, int step, int from) {
    int to = out.rows();
    int row = from;
    while (row < to && areCounts(plan, plan.length, row)) {
      row++;
    }
    if (row < to) {
      keep(row, at + (row - from) * step, step, each -> areCounts(plan, plan.length, each));
    }
  }

  /** Keeps those of the last rows that pass; each of the others is a reject. */
  private void keep(int from, int at, int step, IntPredicate isPossible) {
    int kept = from;
    for (int row = from; row < out.rows(); row++) {
      if (isPossible.test(row)) {
        out.copyRow(row, kept);
        out.logIndex()[kept] = kept;
        kept++;
      } else {
        notes.reject(RejectReason.IMPOSSIBLE_COUNT, at + (row - from) * step);
      }
    }
    out.nullOptional(kept, out.rows());
    out.rows(kept);
  }

  private boolean areCounts(FieldPlan plan, int[] length, int row) {
    long octets = out.longs(FlowColumn.BYTES)[row];
    long count = out.longs(FlowColumn.PACKETS)[row];
    return FlowBounds.areCounts(octets, count)
        && !isAllOnes(plan, FlowField.BYTES, length, octets)
        && !isAllOnes(plan, FlowField.PACKETS, length, count);
  }

  /** Whether a count is 2⁶⁴ − 1, which its column takes for an unknown one. */
  private static boolean isAllOnes(FieldPlan plan, FlowField field, int[] length, long count) {
    if (count != FlowBlock.NULL) {
      return false;
    }
    int i = plan.step(field);
    return i >= 0 && length[i] == Long.BYTES;
  }

  /** Fills the columns that are the same for all rows of a message, and counts the rows. */
  private void finish(int to) {
    int from = out.rows();
    Arrays.fill(out.longs(FlowColumn.TIME), from, to, timeMicros);
    Arrays.fill(out.addressHigh(FlowColumn.EXPORTER), from, to, session.key.high());
    Arrays.fill(out.addressLow(FlowColumn.EXPORTER), from, to, session.key.low());
    Arrays.fill(out.ints(FlowColumn.OBSERVATION_DOMAIN), from, to, session.key.domain());
    int[] logIndex = out.logIndex();
    for (int row = from; row < to; row++) {
      logIndex[row] = row;
    }
    out.rows(to);
  }
}
