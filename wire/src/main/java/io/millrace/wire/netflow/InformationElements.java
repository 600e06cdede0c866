package io.millrace.wire.netflow;

/**
 * Which information element gives which field (IANA's registry "IPFIX Information Elements"; the
 * first 127 are version 9's). Where a template has several for one field, the one named first here
 * is taken.
 */
final class InformationElements {
  private static final int LIMIT = 512;
  private static final FlowField[] FIELDS = new FlowField[LIMIT];
  private static final int[] RANKS = new int[LIMIT];

  /** responderOctets and responderPackets: the reverse direction without RFC 5103. */
  static final int RESPONDER_OCTETS = 232;

  static final int RESPONDER_PACKETS = 299;

  /** Scopes that are an interface: what they say is not said of the whole domain. */
  static final int INGRESS_INTERFACE = 10;

  static final int EGRESS_INTERFACE = 14;

  /** What options data names, see {@link NameFields}. */
  static final int INTERFACE_NAME = 82;

  static final int INTERFACE_DESCRIPTION = 83;
  static final int SAMPLER_ID = 48;
  static final int SAMPLER_NAME = 84;
  static final int SELECTOR_ID = 302;
  static final int SELECTOR_NAME = 335;
  static final int APPLICATION_DESCRIPTION = 94;
  static final int APPLICATION_ID = 95;
  static final int APPLICATION_NAME = 96;
  static final int INGRESS_VRF = 234;
  static final int EGRESS_VRF = 235;
  static final int VRF_NAME = 236;

  static {
    put(FlowField.BYTES, 1, 85, 23, 352, 231);
    put(FlowField.PACKETS, 2, 86, 24, 298);
    put(FlowField.PROTO, 4);
    put(FlowField.TOS, 5, 55);
    put(FlowField.TCP_FLAGS, 6);
    put(FlowField.SRC_PORT, 7);
    put(FlowField.DST_PORT, 11);
    put(FlowField.SRC_IPV4, 8, 44);
    put(FlowField.SRC_IPV6, 27, 170);
    put(FlowField.DST_IPV4, 12, 45);
    put(FlowField.DST_IPV6, 28, 169);
    put(FlowField.ETHER_TYPE, 256);
    put(FlowField.SRC_VLAN, 58, 243);
    put(FlowField.DST_VLAN, 59, 254);
    put(FlowField.IN_IF, 10, 252);
    put(FlowField.OUT_IF, 14, 253);
    put(FlowField.SRC_AS, 16);
    put(FlowField.DST_AS, 17);
    put(FlowField.NEXT_HOP_IPV4, 15, 18);
    put(FlowField.NEXT_HOP_IPV6, 62, 63);
    put(FlowField.DIRECTION, 61);
    put(FlowField.SRC_MAC, 56, 81);
    put(FlowField.DST_MAC, 80, 57);
    put(FlowField.SRC_MASK, 9);
    put(FlowField.DST_MASK, 13);
    put(FlowField.SRC_MASK_IPV6, 29);
    put(FlowField.DST_MASK_IPV6, 30);
    put(FlowField.MPLS_LABEL, 70);
    put(FlowField.NAT_SRC_IPV4, 225);
    put(FlowField.NAT_DST_IPV4, 226);
    put(FlowField.NAT_SRC_PORT, 227);
    put(FlowField.NAT_DST_PORT, 228);
    put(FlowField.NAT_SRC_IPV6, 281);
    put(FlowField.NAT_DST_IPV6, 282);
    put(FlowField.FORWARDING_STATUS, 89);
    put(FlowField.IN_VRF, INGRESS_VRF);
    put(FlowField.OUT_VRF, EGRESS_VRF);
    put(FlowField.APP_ID, APPLICATION_ID);
    put(FlowField.SEEN_SECONDS, 322);
    put(FlowField.SEEN_MILLIS, 323);
    put(FlowField.SEEN_NTP, 325, 324);
    put(FlowField.START_UPTIME, 22);
    put(FlowField.END_UPTIME, 21);
    put(FlowField.START_DELTA, 158);
    put(FlowField.END_DELTA, 159);
    put(FlowField.START_SECONDS, 150);
    put(FlowField.END_SECONDS, 151);
    put(FlowField.START_MILLIS, 152);
    put(FlowField.END_MILLIS, 153);
    put(FlowField.START_NTP, 156, 154);
    put(FlowField.END_NTP, 157, 155);
    put(FlowField.SYSTEM_INIT, 160);
    put(FlowField.UDP_SRC_PORT, 180);
    put(FlowField.UDP_DST_PORT, 181);
    put(FlowField.TCP_SRC_PORT, 182);
    put(FlowField.TCP_DST_PORT, 183);
    put(FlowField.ICMP_TYPE_CODE, 32);
    put(FlowField.ICMP_TYPE, 176);
    put(FlowField.ICMP_CODE, 177);
    put(FlowField.ICMP6_TYPE_CODE, 139);
    put(FlowField.ICMP6_TYPE, 178);
    put(FlowField.ICMP6_CODE, 179);
    put(FlowField.SAMPLING_INTERVAL, 34);
    put(FlowField.SAMPLING_ALGORITHM, 35);
    put(FlowField.SAMPLER_INTERVAL, 50);
    put(FlowField.LINE_CARD, 141, 39);
    put(FlowField.SELECTOR_ALGORITHM, 304);
    put(FlowField.SAMPLED_PACKETS, 305);
    put(FlowField.UNSAMPLED_PACKETS, 306);
    put(FlowField.SAMPLED_TIME, 307);
    put(FlowField.UNSAMPLED_TIME, 308);
    put(FlowField.SAMPLE_SIZE, 309);
    put(FlowField.SAMPLE_POPULATION, 310);
    put(FlowField.SAMPLING_PROBABILITY, 311);
    put(FlowField.SAMPLER_ID, SELECTOR_ID, SAMPLER_ID);
    put(FlowField.ETHERNET_SECTION, 315, 104);
    put(FlowField.IP_SECTION, 313);
    put(FlowField.FRAME_LENGTH, 312, 103);
    put(FlowField.FRAME_TYPE, 408);
    put(FlowField.SECTION_OFFSET, 409, 102);
    put(FlowField.IP_VERSION, 60);
  }

  private InformationElements() {}

  private static void put(FlowField field, int... elements) {
    for (int rank = 0; rank < elements.length; rank++) {
      FIELDS[elements[rank]] = field;
      RANKS[elements[rank]] = rank;
    }
  }

  /** The field that an element gives in the direction asked for; null if it gives none. */
  static FlowField field(int enterprise, int element, boolean reverse) {
    if (element >= LIMIT) {
      return null;
    }
    if (enterprise == NetflowLayout.REVERSE_ENTERPRISE) {
      return reverse ? FIELDS[element] : null;
    }
    if (enterprise != 0) {
      return null;
    }
    if (reverse) {
      return element == RESPONDER_OCTETS
          ? FlowField.BYTES
          : element == RESPONDER_PACKETS ? FlowField.PACKETS : null;
    }
    return FIELDS[element];
  }

  /** How much the element is preferred among those of its field: the lower, the more. */
  static int rank(int element) {
    return RANKS[element];
  }
}
