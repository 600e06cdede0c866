package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;

/**
 * Decoder of NetFlow version 5, version 9 and IPFIX: each data record with an address becomes a row
 * of a {@link FlowBlock}, plus a second one if it counts in both directions.
 *
 * <p>Input is untrusted: each length is checked against its enclosing length before use, each
 * iteration consumes bytes or ends the loop, and memory depends on the datagram's length or the
 * configuration, never on a number in it.
 *
 * <p>Templates, samplers and data that waits for its template are the decoder's state. It depends
 * only on the datagrams and their arrival times, so that a replay gives the same rows. One decoder
 * belongs to one partition of the log and to one thread.
 */
public final class NetflowDecoder {
  private static final Template VERSION_5 = Template.version5();

  private final Notes notes = new Notes();
  private final Sessions sessions;
  private final SetReader sets;
  private final DataSetReader data;

  private Session version5 = new Session(new Session.Key(0, 0, 0, 0, 0));

  /** A decoder without templates. */
  public NetflowDecoder(NetflowConfig config) {
    this(config, new Sessions(config));
  }

  private NetflowDecoder(NetflowConfig config, Sessions sessions) {
    this.sessions = sessions;
    data = new DataSetReader(config, sessions, notes);
    sets = new SetReader(config, sessions, data, notes);
  }

  /**
   * Appends the rows of a datagram to {@code out}, and those of earlier data whose template it has;
   * never throws.
   *
   * <p>Every column of a row is filled, except optional ones that the record lacks; unspecified
   * values are null. {@code logIndex} is the row's number in the block. The block's rows after
   * {@link FlowBlock#rows()} must not have been written to, see {@link FlowBlock#clear}.
   *
   * @param buf holds the datagram
   * @param off where it starts
   * @param len its length in bytes
   * @param timeMicros its arrival, microseconds since the epoch
   * @param exporterHigh upper half of its sender's address
   * @param exporterLow lower half
   * @param exporterPort the sender's UDP port: another port means another process with other
   *     templates
   * @param out receives the rows
   * @param observations receives rejects and changes of the state
   */
  public void decode(
      byte[] buf,
      int off,
      int len,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      int exporterPort,
      FlowBlock out,
      Observations observations) {
    decode(
        buf,
        off,
        len,
        timeMicros,
        exporterHigh,
        exporterLow,
        exporterPort,
        out,
        FullBlocks.KEEP,
        observations);
  }

  /**
   * Decodes into as many blocks as the rows need: if {@code out} has {@link FlowBlock#MANY_ROWS}
   * after a data set, {@code full} receives it and returns the next one.
   */
  public void decode(
      byte[] buf,
      int off,
      int len,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      int exporterPort,
      FlowBlock out,
      FullBlocks full,
      Observations observations) {
    notes.begin(observations, off);
    int version = ExportHeader.version(buf, off, len);
    if (version < 0) {
      int first = len >= 2 ? u16(buf, off) : NetflowLayout.VERSION_5;
      boolean ours =
          first == NetflowLayout.VERSION_5
              || first == NetflowLayout.VERSION_9
              || first == NetflowLayout.VERSION_IPFIX;
      observations.reject(ours ? RejectReason.BAD_HEADER : RejectReason.UNSUPPORTED_VERSION, 0);
      return;
    }
    int domain = ExportHeader.observationDomain(buf, off);
    long sent = ExportHeader.exportTimeMicros(buf, off);
    int uptime = ExportHeader.uptimeMillis(buf, off);
    if (version == NetflowLayout.VERSION_5) {
      if (!version5.key.is(exporterHigh, exporterLow, exporterPort, version, domain)) {
        version5 =
            new Session(new Session.Key(exporterHigh, exporterLow, exporterPort, version, domain));
      }
      version5(buf, off, len, timeMicros, sent, uptime, version5, out);
    } else {
      sessions.expire(timeMicros, observations);
      Session session =
          sessions.session(exporterHigh, exporterLow, exporterPort, version, domain, timeMicros);
      sets.read(buf, off, len, timeMicros, sent, uptime, session, out, full);
      sessions.settle(session);
    }
  }

  private void version5(
      byte[] buf,
      int off,
      int len,
      long timeMicros,
      long sent,
      int uptime,
      Session session,
      FlowBlock out) {
    int at = off + NetflowLayout.V5_HEADER_LENGTH;
    int there = (off + len - at) / NetflowLayout.V5_RECORD_LENGTH;
    int announced = ExportHeader.records(buf, off);
    int sampling = u16(buf, off + NetflowLayout.V5_SAMPLING_OFFSET);
    int interval = sampling & NetflowLayout.V5_SAMPLING_MASK;
    // no mode and no interval: unspecified; a mode without interval: each packet
    int rate = sampling == 0 ? 0 : Math.max(1, interval);
    data.begin(out, session, timeMicros, sent, uptime, rate);
    int records = Math.min(there, announced);
    int end = at + records * NetflowLayout.V5_RECORD_LENGTH;
    data.read(VERSION_5, buf, at, end);
    if (there < announced) {
      notes.reject(RejectReason.TRUNCATED_DATAGRAM, end);
    }
  }

  int templates() {
    return sessions.templates();
  }

  int sessions() {
    return sessions.size();
  }

  /** Memory of data that waits for its template, bytes. */
  public int heldBytes() {
    return sessions.heldBytes();
  }

  /** Appends the whole state, for {@link #restore}. */
  public void snapshot(BlockBuffer out) {
    SessionFormat.write(sessions, out);
  }

  /**
   * Restores a decoder from its state. Throws {@link io.millrace.wire.block.BlockFormatException}
   * for bytes that are not a state or are of an unknown version. State beyond the limits of the
   * configuration is dropped.
   */
  public static NetflowDecoder restore(BlockInput in, NetflowConfig config) {
    return new NetflowDecoder(config, SessionFormat.read(in, config));
  }
}
