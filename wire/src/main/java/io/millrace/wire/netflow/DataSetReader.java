package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameText;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.packet.PacketHeaderParser;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Reads the records of one data set: flows become rows, options update the session.
 *
 * <p>Records of fixed length with numbers only are written column by column; those with variable
 * lengths, packets or a reverse direction, one by one.
 */
final class DataSetReader {
  private static final int INGRESS = 0;

  private static final int EGRESS = 1;

  private final SamplingDefaults defaults;
  private final Sessions sessions;
  private final RecordReader records = new RecordReader();
  private final PacketHeaderParser packets;
  private final Notes notes;
  private final boolean hasLayer2;

  // Fields of the current record, in the order of the template and in the steps of the plan.
  private final int[] fieldOffset;
  private final int[] fieldLength;
  private final int[] stepOffset;
  private final int[] stepLength;

  private byte[] bytes;
  private int templateId;
  private Template.Plans plans; // current set
  private FlowBlock out;
  private Session session;
  private Session source; // session of its template
  private long timeMicros;
  private long exportMicros;
  private int uptime;
  private int headerRate;

  // Values for records of the set without their own.
  private int setRate; // UNKNOWN until a record needs it
  private SamplingSource setSource;
  private boolean isByInterface;
  private boolean isByLineCard;

  DataSetReader(NetflowConfig config, Sessions sessions, Notes notes) {
    this.sessions = sessions;
    defaults = config.samplingDefaults();
    packets = PacketHeaderParser.ofSamples(config.layer());
    hasLayer2 = config.hasLayer2();
    this.notes = notes;
    int fields = Math.max(config.maxFields(), NetflowLayout.V5_RECORD.length);
    fieldOffset = new int[fields];
    fieldLength = new int[fields];
    stepOffset = new int[fields];
    stepLength = new int[fields];
  }

  /** Sets the values common to all sets of a message. {@code rate} is the header's; 0: none. */
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

  int read(Template template, byte[] b, int at, int end) {
    return read(template, session, b, at, end);
  }

  /** Returns the number of records; options update {@code of}, the owner of the template. */
  int read(Template template, Session of, byte[] b, int at, int end) {
    bytes = b;
    source = of;
    plans = template.plans();
    templateId = template.id;
    if (!template.isOptions) {
      placesWithRates();
    }
    boolean hasUptime = session.key.version() != NetflowLayout.VERSION_IPFIX;
    if (!hasUptime) {
      long started = systemInitMillis();
      hasUptime = started >= 0;
      uptime = hasUptime ? (int) (exportMicros / 1000 - started) : 0;
    }
    records.begin(out, b, exportMicros, uptime, hasUptime);
    if (!plans.isOneByOne()) {
      int n = (end - at) / template.minLength;
      while (n > 0 && isPadding(at + (n - 1) * template.minLength, end)) {
        n--;
      }
      if (makesRows()) {
        rows(template, at, n);
      } else {
        notFlows(template, at, n);
      }
      return n;
    }
    int count = 0;
    while (end - at >= template.minLength) {
      if (!template.isOptions && isPadding(at, end)) {
        break;
      }
      int next = template.isVariable ? walk(template, at, end) : at + template.minLength;
      if (next < 0) {
        notes.reject(RejectReason.BAD_RECORD_LENGTH, at);
        break;
      }
      record(template, at);
      count++;
      at = next;
    }
    return count;
  }

  private boolean isPadding(int at, int end) {
    return bytes[at] == 0 && Numbers.isZero(bytes, at, end);
  }

  private long systemInitMillis() {
    return session.device == null
        ? session.systemInitMillis
        : session.device.systemInitMillis(session);
  }

  private void placesWithRates() {
    Device device = session.device;
    setRate = Sampling.UNKNOWN;
    isByInterface =
        device != null
            && (device.has(RateScope.INTERFACE)
                || device.has(RateScope.INGRESS)
                || device.has(RateScope.EGRESS));
    isByLineCard =
        device != null
            && device.has(RateScope.LINE_CARD)
            && plans.fields().has(FlowField.LINE_CARD);
  }

  private void rateOfSet() {
    FieldPlan plan = plans.fields();
    Device device = session.device;
    setSource = SamplingSource.DOMAIN;
    if (device != null && !device.sources().isEmpty()) {
      if (!isByLineCard && session.key.version() == NetflowLayout.VERSION_9) {
        takeRate(device, RateScope.LINE_CARD, session.key.domain() & 0xFF);
      }
      takeRate(device, RateScope.TEMPLATE, templateId);
      takeRate(device, RateScope.CACHE, 0);
      takeRate(device, RateScope.DOMAIN, Integer.toUnsignedLong(session.key.domain()));
      takeRate(device, RateScope.ALL, 0);
      if (setRate == Sampling.UNKNOWN && !plan.has(FlowField.SAMPLER_ID)) {
        setRate = device.rate(session, RateScope.ONLY_SAMPLER, 0);
        setSource = setRate == Sampling.UNKNOWN ? setSource : SamplingSource.SAMPLER;
      }
    }
    if (setRate == Sampling.UNKNOWN) {
      setSource = SamplingSource.HEADER;
      setRate = headerRate;
    }
    if (setRate == Sampling.UNKNOWN) {
      setSource = SamplingSource.CONFIGURATION;
      setRate = Math.max(0, defaults.rate(session.key.high(), session.key.low()));
    }
    if (setRate == Sampling.UNKNOWN) {
      setSource = SamplingSource.NONE;
      setRate = 1;
    }
  }

  private void takeRate(Device device, RateScope scope, long id) {
    if (setRate == Sampling.UNKNOWN && device.has(scope)) {
      setRate = device.rate(session, scope, id);
    }
  }

  private boolean makesRows() {
    return plans.isFlow() || (hasLayer2 && plans.isFrame());
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
    if (plan.hasPorts) {
      for (int row = from, base = at; row < to; row++, base += template.minLength) {
        RecordRules.ports(plan, bytes, base, plan.offset, plan.length, out, row);
      }
    } else if (plan.hasIcmpInPort) {
      RecordRules.icmpInPort(out, from, to);
    }
    sampling(plan, plan.offset, plan.length, at, template.minLength, from, to);
    finish(to);
    dropImpossible(plan, at, template.minLength, from);
  }

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
    if (plans.isEvent() && isEventAlone(template, at)) {
      return;
    }
    if (!makesRows()) {
      notes.reject(RejectReason.NOT_IP, at);
      return;
    }
    out.reserve(2);
    int row = out.rows();
    records.fillUnknown(plan, row, row + 1);
    records.fill(plan, stepOffset, stepLength, at, 0, row, row + 1);
    if (plans.hasSection()
        && !RecordRules.section(
            packets, plan, bytes, at, stepOffset, stepLength, hasLayer2, out, row)) {
      out.nullOptional(row, row + 1);
      notes.reject(RejectReason.NOT_IP, at);
      return;
    }
    if (plan.hasOnlyStation()) {
      RecordRules.station(plan, bytes, at, stepOffset, stepLength, out, row);
    }
    RecordRules.ports(plan, bytes, at, stepOffset, stepLength, out, row);
    sampling(plan, stepOffset, stepLength, at, 0, row, row + 1);
    finish(row + 1);
    boolean isPossible = areCounts(plan, stepLength, row);
    boolean isReversePossible = true; // absent
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

  /** Whether the record is only an event; a record that counts bytes is also a flow. */
  private boolean isEventAlone(Template template, int at) {
    FieldPlan plan = plans.fields();
    int natEvent = (int) value(plan, FlowField.NAT_EVENT, at);
    int firewallEvent = (int) value(plan, FlowField.FIREWALL_EVENT, at);
    boolean isNamed = plan.has(FlowField.NAT_EVENT) || plan.has(FlowField.FIREWALL_EVENT);
    if (isNamed && natEvent <= 0 && firewallEvent <= 0) {
      return false; // 0: no event
    }
    boolean isTraffic = hasTraffic(template, at);
    boolean isOfFlow = natEvent <= 0 && firewallEvent == NatEvents.FIREWALL_UPDATE;
    boolean isTranslation = natEvent > 0 || (plan.hasTranslation() && !isOfFlow);
    TableBlock events = notes.observer().natEvents();
    if (events != null && (isTranslation || !isTraffic)) {
      event(template, at, events, natEvent, firewallEvent, isTraffic);
    }
    return !isTraffic;
  }

  private boolean hasTraffic(Template template, int at) {
    boolean isTraffic =
        plans.hasSection()
            || hasCount(plans.fields(), FlowField.BYTES, at)
            || hasCount(plans.fields(), FlowField.PACKETS, at);
    if (!isTraffic && plans.reverse() != null) {
      place(template, plans.reverse());
      isTraffic =
          hasCount(plans.reverse(), FlowField.BYTES, at)
              || hasCount(plans.reverse(), FlowField.PACKETS, at);
      place(template, plans.fields());
    }
    return isTraffic;
  }

  private void event(
      Template template,
      int at,
      TableBlock events,
      int natEvent,
      int firewallEvent,
      boolean isTraffic) {
    FieldPlan plan = plans.fields();
    if (plans.subscriber() >= 0) {
      places(template);
    }
    out.reserve(1);
    int row = out.rows();
    records.fillUnknown(plan, row, row + 1);
    records.fill(plan, stepOffset, stepLength, at, 0, row, row + 1);
    RecordRules.ports(plan, bytes, at, stepOffset, stepLength, out, row);
    NatEvents.Ports ports =
        plan.has(FlowField.PORT_RANGE_START)
            ? new NatEvents.Ports(
                value(plan, FlowField.PORT_RANGE_START, at),
                value(plan, FlowField.PORT_RANGE_END, at),
                value(plan, FlowField.PORT_RANGE_STEP, at),
                value(plan, FlowField.PORT_RANGE_COUNT, at))
            : NatEvents.Ports.NONE;
    if (natEvent > 0 || !isTraffic || NatEvents.isTranslated(out, row)) {
      NatEvents.add(
          events,
          out,
          row,
          timeMicros,
          session.key.high(),
          session.key.low(),
          natEvent,
          firewallEvent,
          ports,
          plans.subscriber() < 0 ? "" : text(plans.subscriber(), at));
    }
    out.nullOptional(row, row + 1);
  }

  private long value(FieldPlan plan, FlowField field, int at) {
    int i = plan.step(field);
    return i < 0 ? -1 : Numbers.number(bytes, at + stepOffset[i], stepLength[i]);
  }

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
      if (source.device != null) {
        source.systemInitMillis = millis;
        source.device.updated(source);
      }
      uptime = (int) (exportMicros / 1000 - millis);
      records.begin(out, bytes, exportMicros, uptime, true);
    }
  }

  /** Processes options data. A rate applies to the sampler that it names, or else to its scope. */
  private void options(Template template, int at) {
    places(template);
    names(at);
    FieldPlan plan = plans.fields();
    int rate = Sampling.rate(plan, bytes, at, stepOffset, stepLength);
    if (rate < 0) {
      reject(plan, rate, at, stepOffset, stepLength);
      return;
    }
    int i = plan.step(FlowField.SAMPLER_ID);
    if (rate == Sampling.UNKNOWN) {
      return;
    } else if (i >= 0) {
      long id = Numbers.number(bytes, at + stepOffset[i], stepLength[i]);
      sessions.putRate(source, RateScope.SAMPLER, id, rate);
    } else if (plans.scope().scope() != null) {
      scopedRate(plans.scope(), at, rate);
    }
  }

  /** Interface 0 and domain 0 stand for the whole device. */
  private void scopedRate(RateScope.Place place, int at, int rate) {
    RateScope scope = place.scope();
    int field = place.field();
    long id = field < 0 ? 0 : Numbers.number(bytes, at + fieldOffset[field], fieldLength[field]);
    boolean isOfAll =
        scope == RateScope.ALL
            || (id <= 0
                && (scope == RateScope.INTERFACE
                    || scope == RateScope.INGRESS
                    || scope == RateScope.EGRESS
                    || scope == RateScope.DOMAIN));
    if (isOfAll) {
      sessions.putRate(source, RateScope.ALL, 0, rate);
    } else if (id >= 0 && id <= 0xFFFF_FFFFL) {
      sessions.putRate(source, scope, id, rate);
    }
  }

  private void reject(FieldPlan plan, int rejected, int at, int[] offset, int[] length) {
    notes.reject(Sampling.reason(rejected), at);
    notes.observer().rateRejected(Sampling.reportedRate(plan, bytes, at, offset, length));
  }

  private void places(Template template) {
    if (!template.isVariable) {
      for (int i = 0, offset = 0; i < template.fields(); offset += template.length[i++]) {
        fieldOffset[i] = offset;
        fieldLength[i] = template.length[i];
      }
    }
  }

  private void names(int at) {
    NameFields fields = plans.names();
    if (fields == null) {
      return;
    }
    int number = fields.number();
    int idAt = at + fieldOffset[number];
    long id =
        fields.kind() == NameKind.APPLICATION
            ? ApplicationId.of(bytes, idAt, fieldLength[number])
            : Numbers.number(bytes, idAt, fieldLength[number]);
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
    int unknown = to - from;
    boolean hasRate = plan.hasRate;
    int sampler = plan.step(FlowField.SAMPLER_ID);
    if (!hasRate && sampler < 0 && !isByInterface && !isByLineCard) {
      if (setRate == Sampling.UNKNOWN) {
        rateOfSet();
      }
      Arrays.fill(rates, from, to, setRate);
      Arrays.fill(sources, from, to, setSource.code());
    } else {
      for (int row = from, base = at; row < to; row++, base += step) {
        int reported =
            hasRate ? Sampling.rate(plan, bytes, base, offset, length) : Sampling.UNKNOWN;
        int rejected = Math.min(reported, Sampling.UNKNOWN);
        SamplingSource by = SamplingSource.RECORD;
        if (reported <= 0 && sampler >= 0) {
          reported = sampler(Numbers.number(bytes, base + offset[sampler], length[sampler]));
          by = SamplingSource.SAMPLER;
        }
        if (reported <= 0 && (isByInterface || isByLineCard)) {
          reported = ofPlace(plan, base, offset, length, row);
          by = SamplingSource.DOMAIN;
        }
        if (reported > 0) {
          rates[row] = reported;
          sources[row] = by.code();
          unknown--;
        } else {
          if (setRate == Sampling.UNKNOWN) {
            rateOfSet();
          }
          rates[row] = setRate;
          sources[row] = setSource.code();
        }
        if (rejected < 0 && sources[row] == SamplingSource.NONE.code()) {
          rates[row] = Sampling.IMPOSSIBLE;
          unknown--;
          notes.reject(RejectReason.IMPOSSIBLE_RATE, base);
          notes.observer().rateRejected(Sampling.reportedRate(plan, bytes, base, offset, length));
        } else if (rejected < 0) {
          reject(plan, rejected, base, offset, length);
        }
      }
    }
    if (unknown > 0 && setSource == SamplingSource.NONE) {
      notes.observer().unknownSampling(unknown);
    }
  }

  private int sampler(long id) {
    int own = session.samplers.rate(id);
    return own != Sampling.UNKNOWN || session.device == null
        ? own
        : session.device.rate(session, RateScope.SAMPLER, id);
  }

  private int ofPlace(FieldPlan plan, int base, int[] offset, int[] length, int row) {
    Device device = session.device;
    if (isByInterface) {
      int direction =
          plan.has(FlowField.DIRECTION) ? out.ints(FlowColumn.DIRECTION)[row] : FlowBlock.NULL;
      long in = direction == EGRESS ? 0 : Integer.toUnsignedLong(out.ints(FlowColumn.IN_IF)[row]);
      long to = direction == INGRESS ? 0 : Integer.toUnsignedLong(out.ints(FlowColumn.OUT_IF)[row]);
      int rate = ofInterface(device, RateScope.INGRESS, in);
      rate = rate > 0 ? rate : ofInterface(device, RateScope.EGRESS, to);
      if (rate > 0) {
        return rate;
      }
    }
    int card = isByLineCard ? plan.step(FlowField.LINE_CARD) : -1;
    return card < 0
        ? Sampling.UNKNOWN
        : device.rate(
            session, RateScope.LINE_CARD, Numbers.number(bytes, base + offset[card], length[card]));
  }

  private int ofInterface(Device device, RateScope way, long index) {
    if (index == 0) {
      return Sampling.UNKNOWN;
    }
    int rate = device.has(way) ? device.rate(session, way, index) : Sampling.UNKNOWN;
    return rate > 0 || !device.has(RateScope.INTERFACE)
        ? rate
        : device.rate(session, RateScope.INTERFACE, index);
  }

  private void dropImpossible(FieldPlan plan, int at, int step, int from) {
    int to = out.rows();
    int row = from;
    while (row < to && areCounts(plan, plan.length, row)) {
      row++;
    }
    if (row < to) {
      keep(row, at + (row - from) * step, step, each -> areCounts(plan, plan.length, each));
    }
  }

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

  /** Whether a count is 2⁶⁴ − 1, which would be stored as null. */
  private static boolean isAllOnes(FieldPlan plan, FlowField field, int[] length, long count) {
    if (count != FlowBlock.NULL) {
      return false;
    }
    int i = plan.step(field);
    return i >= 0 && length[i] == Long.BYTES;
  }

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
