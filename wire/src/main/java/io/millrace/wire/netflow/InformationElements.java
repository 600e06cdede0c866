package io.millrace.wire.netflow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Maps information elements to fields: IANA's registry "IPFIX Information Elements", whose first
 * 127 are version 9's, and vendors' elements. Among the elements of one field, the first one here
 * takes precedence if its value is usable.
 *
 * <p>Version 9 has no enterprise numbers: Cisco adds 32,768 to the IPFIX number of its own
 * elements.
 */
final class InformationElements {
  /** {@code enterprise} is 0 for IANA's registry, {@code rank} the precedence in the field. */
  record Element(int enterprise, int element, String name, FlowField field, int rank) {}

  private static final int IANA = 0;
  private static final int CISCO = 9;
  private static final int NOKIA = 637;
  private static final int CERT = 6871;
  private static final int VMWARE = 6876;
  private static final int BARRACUDA = 10704;
  private static final int PHION = 12326; // older Barracuda firewalls
  private static final int VIPTELA = 41916;

  /** In CERT's elements, this bit marks the reverse direction. */
  private static final int CERT_REVERSE_BIT = 0x4000;

  /** responderOctets and responderPackets: the reverse direction without RFC 5103. */
  static final int RESPONDER_OCTETS = 232;

  static final int RESPONDER_PACKETS = 299;

  private static final int SERVER_OCTETS = 8337;

  private static final int INITIATOR_OCTETS = 231;
  private static final int INITIATOR_PACKETS = 298;
  private static final int CLIENT_OCTETS = 8338;
  private static final int FIRST_CLIENT_ADDRESS = 12236;
  private static final int LAST_CLIENT_ADDRESS = 12241;

  static final int INGRESS_INTERFACE = 10;

  static final int EGRESS_INTERFACE = 14;

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

  private static final int[][] SUBSCRIBERS = {
    {0, 371}, // userName
    {0, 455}, //  mobileIMSI
    {0, 456}, // mobileMSISDN
    {9, 7232}, // NSEL's user name, 40000 in version 9
    {637, 93}, // Nokia's natSubString
    {0, 56702}, // Palo Alto Networks' user id, in version 9
    {25461, 56702}
  };

  private static final Map<Long, Element> ELEMENTS = new HashMap<>();
  private static final List<Element> IN_ORDER = new ArrayList<>();

  static {
    put(FlowField.BYTES, IANA, 1, "octetDeltaCount");
    put(FlowField.BYTES, IANA, 85, "octetTotalCount");
    put(FlowField.BYTES, IANA, 23, "postOctetDeltaCount");
    put(FlowField.BYTES, IANA, 171, "postOctetTotalCount");
    put(FlowField.BYTES, IANA, 352, "layer2OctetDeltaCount");
    put(FlowField.BYTES, IANA, 353, "layer2OctetTotalCount");
    put(FlowField.BYTES, IANA, 417, "postLayer2OctetDeltaCount");
    put(FlowField.BYTES, IANA, 420, "postLayer2OctetTotalCount");
    put(FlowField.BYTES, IANA, 231, "initiatorOctets");
    put(FlowField.BYTES, CISCO, 8338, "clientBytesNetwork");
    put(FlowField.BYTES, IANA, 401, "transportOctetDeltaCount");
    put(FlowField.BYTES, IANA, 20, "postMCastOctetDeltaCount");
    put(FlowField.BYTES, IANA, 175, "postMCastOctetTotalCount");
    put(FlowField.BYTES, IANA, 224, "ipTotalLength");
    put(FlowField.BYTES, IANA, 190, "totalLengthIPv4");
    put(FlowField.PACKETS, IANA, 2, "packetDeltaCount");
    put(FlowField.PACKETS, IANA, 86, "packetTotalCount");
    put(FlowField.PACKETS, IANA, 24, "postPacketDeltaCount");
    put(FlowField.PACKETS, IANA, 172, "postPacketTotalCount");
    put(FlowField.PACKETS, IANA, 298, "initiatorPackets");
    put(FlowField.PACKETS, IANA, 402, "transportPacketDeltaCount");
    put(FlowField.PACKETS, IANA, 19, "postMCastPacketDeltaCount");
    put(FlowField.PACKETS, IANA, 174, "postMCastPacketTotalCount");
    put(FlowField.PACKETS, IANA, 430, "layer2FrameDeltaCount");
    put(FlowField.PACKETS, IANA, 431, "layer2FrameTotalCount");
    put(FlowField.NEXT_HEADER, IANA, 193, "nextHeaderIPv6");
    put(FlowField.PROTO, IANA, 4, "protocolIdentifier");
    put(FlowField.PROTO, VMWARE, 880, "tenantProtocol");
    put(FlowField.POST_PRECEDENCE, IANA, 257, "postIpPrecedence");
    put(FlowField.POST_DSCP, IANA, 98, "postIpDiffServCodePoint");
    put(FlowField.POST_TOS, IANA, 55, "postIpClassOfService");
    put(FlowField.PRECEDENCE, IANA, 196, "ipPrecedence");
    put(FlowField.DSCP, IANA, 195, "ipDiffServCodePoint");
    put(FlowField.TOS, IANA, 5, "ipClassOfService");
    put(FlowField.TCP_FLAGS, IANA, 6, "tcpControlBits");
    put(FlowField.TCP_FLAGS, CERT, 14, "initialTCPFlags");
    put(FlowField.TCP_FLAGS, CERT, 15, "unionTCPFlags");
    put(FlowField.SRC_PORT, IANA, 7, "sourceTransportPort");
    put(FlowField.SRC_PORT, CISCO, 12240, "clientTransportPort");
    put(FlowField.SRC_PORT, VMWARE, 886, "tenantSourcePort");
    put(FlowField.DST_PORT, IANA, 11, "destinationTransportPort");
    put(FlowField.DST_PORT, CISCO, 12241, "serverTransportPort");
    put(FlowField.DST_PORT, VMWARE, 887, "tenantDestPort");
    put(FlowField.SRC_IPV4, IANA, 8, "sourceIPv4Address");
    put(FlowField.SRC_IPV4, IANA, 44, "sourceIPv4Prefix");
    put(FlowField.SRC_IPV4, CISCO, 12236, "clientIPv4Address");
    put(FlowField.SRC_IPV4, VMWARE, 881, "tenantSourceIPv4");
    put(FlowField.SRC_IPV6, IANA, 27, "sourceIPv6Address");
    put(FlowField.SRC_IPV6, IANA, 170, "sourceIPv6Prefix");
    put(FlowField.SRC_IPV6, CISCO, 12238, "clientIPv6Address");
    put(FlowField.SRC_IPV6, VMWARE, 883, "tenantSourceIPv6");
    put(FlowField.DST_IPV4, IANA, 12, "destinationIPv4Address");
    put(FlowField.DST_IPV4, IANA, 45, "destinationIPv4Prefix");
    put(FlowField.DST_IPV4, CISCO, 12237, "serverIPv4Address");
    put(FlowField.DST_IPV4, VMWARE, 882, "tenantDestIPv4");
    put(FlowField.DST_IPV6, IANA, 28, "destinationIPv6Address");
    put(FlowField.DST_IPV6, IANA, 169, "destinationIPv6Prefix");
    put(FlowField.DST_IPV6, CISCO, 12239, "serverIPv6Address");
    put(FlowField.DST_IPV6, VMWARE, 884, "tenantDestIPv6");
    put(FlowField.ETHER_TYPE, IANA, 256, "ethernetType");
    put(FlowField.SRC_VLAN, IANA, 58, "vlanId");
    put(FlowField.SRC_VLAN, IANA, 243, "dot1qVlanId");
    put(FlowField.SRC_VLAN, IANA, 245, "dot1qCustomerVlanId");
    put(FlowField.DST_VLAN, IANA, 59, "postVlanId");
    put(FlowField.DST_VLAN, IANA, 254, "postDot1qVlanId");
    put(FlowField.DST_VLAN, IANA, 255, "postDot1qCustomerVlanId");
    put(FlowField.IN_IF, IANA, 10, "ingressInterface");
    put(FlowField.IN_IF, IANA, 252, "ingressPhysicalInterface");
    put(FlowField.OUT_IF, IANA, 14, "egressInterface");
    put(FlowField.OUT_IF, IANA, 253, "egressPhysicalInterface");
    put(FlowField.SRC_AS, IANA, 16, "bgpSourceAsNumber");
    put(FlowField.SRC_AS, IANA, 129, "bgpPrevAdjacentAsNumber");
    put(FlowField.DST_AS, IANA, 17, "bgpDestinationAsNumber");
    put(FlowField.DST_AS, IANA, 128, "bgpNextAdjacentAsNumber");
    put(FlowField.NEXT_HOP_IPV4, IANA, 15, "ipNextHopIPv4Address");
    put(FlowField.NEXT_HOP_IPV4, IANA, 18, "bgpNextHopIPv4Address");
    put(FlowField.NEXT_HOP_IPV6, IANA, 62, "ipNextHopIPv6Address");
    put(FlowField.NEXT_HOP_IPV6, IANA, 63, "bgpNextHopIPv6Address");
    put(FlowField.DIRECTION, IANA, 61, "flowDirection");
    put(FlowField.SRC_MAC, IANA, 56, "sourceMacAddress");
    put(FlowField.SRC_MAC, IANA, 81, "postSourceMacAddress");
    put(FlowField.SRC_MAC, IANA, 414, "dot1qCustomerSourceMacAddress");
    put(FlowField.DST_MAC, IANA, 80, "destinationMacAddress");
    put(FlowField.DST_MAC, IANA, 57, "postDestinationMacAddress");
    put(FlowField.DST_MAC, IANA, 415, "dot1qCustomerDestinationMacAddress");
    put(FlowField.SRC_MASK, IANA, 9, "sourceIPv4PrefixLength");
    put(FlowField.DST_MASK, IANA, 13, "destinationIPv4PrefixLength");
    put(FlowField.SRC_MASK_IPV6, IANA, 29, "sourceIPv6PrefixLength");
    put(FlowField.DST_MASK_IPV6, IANA, 30, "destinationIPv6PrefixLength");
    put(FlowField.MPLS_LABEL, IANA, 70, "mplsTopLabelStackSection");
    put(FlowField.NAT_SRC_IPV4, IANA, 225, "postNATSourceIPv4Address");
    put(FlowField.NAT_SRC_IPV4, CISCO, 7233, "xlateSourceIPv4Address");
    put(FlowField.NAT_SRC_IPV4, BARRACUDA, 8, "bindIPv4Address");
    put(FlowField.NAT_SRC_IPV4, PHION, 8, "bindIPv4Address");
    put(FlowField.NAT_DST_IPV4, IANA, 226, "postNATDestinationIPv4Address");
    put(FlowField.NAT_DST_IPV4, CISCO, 7234, "xlateDestinationIPv4Address");
    put(FlowField.NAT_DST_IPV4, BARRACUDA, 10, "connIPv4Address");
    put(FlowField.NAT_DST_IPV4, PHION, 10, "connIPv4Address");
    put(FlowField.NAT_SRC_PORT, IANA, 227, "postNAPTSourceTransportPort");
    put(FlowField.NAT_SRC_PORT, CISCO, 7235, "xlateSourcePort");
    put(FlowField.NAT_SRC_PORT, BARRACUDA, 9, "bindTransportPort");
    put(FlowField.NAT_SRC_PORT, PHION, 9, "bindTransportPort");
    put(FlowField.NAT_DST_PORT, IANA, 228, "postNAPTDestinationTransportPort");
    put(FlowField.NAT_DST_PORT, CISCO, 7236, "xlateDestinationPort");
    put(FlowField.NAT_DST_PORT, BARRACUDA, 11, "connTransportPort");
    put(FlowField.NAT_DST_PORT, PHION, 11, "connTransportPort");
    put(FlowField.NAT_SRC_IPV6, IANA, 281, "postNATSourceIPv6Address");
    put(FlowField.NAT_DST_IPV6, IANA, 282, "postNATDestinationIPv6Address");
    put(FlowField.FORWARDING_STATUS, IANA, 89, "forwardingStatus");
    put(FlowField.IN_VRF, IANA, 234, "ingressVRFID");
    put(FlowField.IN_VRF, VIPTELA, 4321, "vpnId");
    put(FlowField.IN_VRF, NOKIA, 91, "natInsideSvcid");
    put(FlowField.OUT_VRF, IANA, 235, "egressVRFID");
    put(FlowField.OUT_VRF, NOKIA, 92, "natOutsideSvcid");
    put(FlowField.APP_ID, IANA, 95, "applicationId");
    put(FlowField.INTERVAL_START, IANA, 359, "monitoringIntervalStartMilliSeconds");
    put(FlowField.INTERVAL_END, IANA, 360, "monitoringIntervalEndMilliSeconds");
    put(FlowField.SEEN_SECONDS, IANA, 322, "observationTimeSeconds");
    put(FlowField.SEEN_MILLIS, IANA, 323, "observationTimeMilliseconds");
    put(FlowField.SEEN_NTP, IANA, 325, "observationTimeNanoseconds");
    put(FlowField.SEEN_NTP, IANA, 324, "observationTimeMicroseconds");
    put(FlowField.START_UPTIME, IANA, 22, "flowStartSysUpTime");
    put(FlowField.END_UPTIME, IANA, 21, "flowEndSysUpTime");
    put(FlowField.START_DELTA, IANA, 158, "flowStartDeltaMicroseconds");
    put(FlowField.END_DELTA, IANA, 159, "flowEndDeltaMicroseconds");
    put(FlowField.START_SECONDS, IANA, 150, "flowStartSeconds");
    put(FlowField.END_SECONDS, IANA, 151, "flowEndSeconds");
    put(FlowField.START_MILLIS, IANA, 152, "flowStartMilliseconds");
    put(FlowField.END_MILLIS, IANA, 153, "flowEndMilliseconds");
    put(FlowField.START_NTP, IANA, 156, "flowStartNanoseconds");
    put(FlowField.START_NTP, IANA, 154, "flowStartMicroseconds");
    put(FlowField.END_NTP, IANA, 157, "flowEndNanoseconds");
    put(FlowField.END_NTP, IANA, 155, "flowEndMicroseconds");
    put(FlowField.DURATION_MILLIS, IANA, 161, "flowDurationMilliseconds");
    put(FlowField.DURATION_MICROS, IANA, 162, "flowDurationMicroseconds");
    put(FlowField.SYSTEM_INIT, IANA, 160, "systemInitTimeMilliseconds");
    put(FlowField.UDP_SRC_PORT, IANA, 180, "udpSourcePort");
    put(FlowField.UDP_DST_PORT, IANA, 181, "udpDestinationPort");
    put(FlowField.TCP_SRC_PORT, IANA, 182, "tcpSourcePort");
    put(FlowField.TCP_DST_PORT, IANA, 183, "tcpDestinationPort");
    put(FlowField.ICMP_TYPE_CODE, IANA, 32, "icmpTypeCodeIPv4");
    put(FlowField.ICMP_TYPE, IANA, 176, "icmpTypeIPv4");
    put(FlowField.ICMP_CODE, IANA, 177, "icmpCodeIPv4");
    put(FlowField.ICMP6_TYPE_CODE, IANA, 139, "icmpTypeCodeIPv6");
    put(FlowField.ICMP6_TYPE, IANA, 178, "icmpTypeIPv6");
    put(FlowField.ICMP6_CODE, IANA, 179, "icmpCodeIPv6");
    put(FlowField.SAMPLING_INTERVAL, IANA, 34, "samplingInterval");
    put(FlowField.SAMPLING_ALGORITHM, IANA, 35, "samplingAlgorithm");
    put(FlowField.SAMPLER_INTERVAL, IANA, 50, "samplerRandomInterval");
    put(FlowField.LINE_CARD, IANA, 141, "lineCardId");
    put(FlowField.LINE_CARD, IANA, 39, "engineId");
    put(FlowField.SELECTOR_ALGORITHM, IANA, 304, "selectorAlgorithm");
    put(FlowField.SAMPLED_PACKETS, IANA, 305, "samplingPacketInterval");
    put(FlowField.UNSAMPLED_PACKETS, IANA, 306, "samplingPacketSpace");
    put(FlowField.SAMPLED_TIME, IANA, 307, "samplingTimeInterval");
    put(FlowField.UNSAMPLED_TIME, IANA, 308, "samplingTimeSpace");
    put(FlowField.SAMPLE_SIZE, IANA, 309, "samplingSize");
    put(FlowField.SAMPLE_POPULATION, IANA, 310, "samplingPopulation");
    put(FlowField.SAMPLING_PROBABILITY, IANA, 311, "samplingProbability");
    put(FlowField.SAMPLER_ID, IANA, 302, "selectorId");
    put(FlowField.SAMPLER_ID, IANA, 48, "samplerId");
    put(FlowField.ETHERNET_SECTION, IANA, 315, "dataLinkFrameSection");
    put(FlowField.ETHERNET_SECTION, IANA, 104, "layer2packetSectionData");
    put(FlowField.IP_SECTION, IANA, 313, "ipHeaderPacketSection");
    put(FlowField.FRAME_LENGTH, IANA, 312, "dataLinkFrameSize");
    put(FlowField.FRAME_LENGTH, IANA, 103, "layer2packetSectionSize");
    put(FlowField.FRAME_TYPE, IANA, 408, "dataLinkFrameType");
    put(FlowField.SECTION_OFFSET, IANA, 409, "sectionOffset");
    put(FlowField.SECTION_OFFSET, IANA, 102, "layer2packetSectionOffset");
    put(FlowField.IP_VERSION, IANA, 60, "ipVersion");
    put(FlowField.STATION_IPV4, IANA, 366, "staIPv4Address");
    put(FlowField.STATION_MAC, IANA, 365, "staMacAddress");
    put(FlowField.NAT_EVENT, IANA, 230, "natEvent");
    put(FlowField.FIREWALL_EVENT, IANA, 233, "firewallEvent");
    put(FlowField.FIREWALL_EVENT, CISCO, 7237, "firewallEvent");
    put(FlowField.PORT_RANGE_START, IANA, 361, "portRangeStart");
    put(FlowField.PORT_RANGE_END, IANA, 362, "portRangeEnd");
    put(FlowField.PORT_RANGE_STEP, IANA, 363, "portRangeStepSize");
    put(FlowField.PORT_RANGE_COUNT, IANA, 364, "portRangeNumPorts");
  }

  private InformationElements() {}

  private static void put(FlowField field, int enterprise, int element, String name) {
    int rank = (int) IN_ORDER.stream().filter(other -> other.field() == field).count();
    Element added = new Element(enterprise, element, name, field, rank);
    ELEMENTS.put(key(enterprise, element), added);
    IN_ORDER.add(added);
  }

  private static long key(int enterprise, int element) {
    return ((long) enterprise << Short.SIZE) | element;
  }

  static List<Element> all() {
    return Collections.unmodifiableList(IN_ORDER);
  }

  /** The element of a template's field in that direction; null if it fills no field. */
  static Element find(int enterprise, int element, boolean reverse) {
    if (enterprise == NetflowLayout.REVERSE_ENTERPRISE) {
      return reverse ? ELEMENTS.get(key(IANA, element)) : null;
    }
    boolean isCiscosInVersion9 = enterprise == IANA && element >= NetflowLayout.ENTERPRISE_BIT;
    int owner = isCiscosInVersion9 ? CISCO : enterprise;
    int number = element & ~NetflowLayout.ENTERPRISE_BIT;
    if (!reverse) {
      return ELEMENTS.get(key(owner, number));
    }
    if (owner == CERT && (number & CERT_REVERSE_BIT) != 0) {
      return ELEMENTS.get(key(CERT, number & ~CERT_REVERSE_BIT));
    }
    if (isResponders(owner, number)) {
      boolean isOctets = owner == CISCO || number == RESPONDER_OCTETS;
      return ELEMENTS.get(key(IANA, isOctets ? INITIATOR_OCTETS : INITIATOR_PACKETS));
    }
    return null;
  }

  /** Index of the field with a subscriber; -1 if there is none. */
  static int subscriber(Template template) {
    for (int[] element : SUBSCRIBERS) {
      for (int i = 0; i < template.fields(); i++) {
        boolean isCiscos =
            element[0] == CISCO
                && template.enterprise[i] == IANA
                && template.element[i] == (element[1] | NetflowLayout.ENTERPRISE_BIT);
        if (isCiscos
            || (template.enterprise[i] == element[0] && template.element[i] == element[1])) {
          return i;
        }
      }
    }
    return -1;
  }

  private static boolean isResponders(int enterprise, int element) {
    return enterprise == IANA
        ? element == RESPONDER_OCTETS || element == RESPONDER_PACKETS
        : enterprise == CISCO && element == SERVER_OCTETS;
  }

  /**
   * Whether an element must not replace another one of its field in this template: counters of a
   * record add up only if both directions are counted in the same way, either all since the
   * previous record or all since the flow began.
   */
  static boolean isExcluded(Template template, Element candidate) {
    FlowField field = candidate.field();
    boolean isCounter = field == FlowField.BYTES || field == FlowField.PACKETS;
    boolean isEnd =
        switch (field) {
          case SRC_IPV4, SRC_IPV6, DST_IPV4, DST_IPV6, SRC_PORT, DST_PORT -> true;
          default -> false;
        };
    if (!isCounter && !isEnd) {
      return false;
    }
    boolean hasResponder = false;
    boolean hasInitiator = false; // has an initiator's counter or endpoint
    boolean hasDelta = false;
    for (int i = 0; i < template.fields(); i++) {
      int enterprise = template.enterprise[i];
      Element e = find(enterprise, template.element[i], false);
      boolean isIpfixReverse = enterprise == NetflowLayout.REVERSE_ENTERPRISE;
      hasResponder |= !isIpfixReverse && find(enterprise, template.element[i], true) != null;
      hasInitiator |= e != null && e.field() == field && isInitiators(e);
      hasDelta |= e != null && e.field() == field && isDelta(e);
    }
    if (hasResponder && hasInitiator) {
      return !isInitiators(candidate);
    }
    return isCounter && hasDelta && isTotal(candidate);
  }

  private static boolean isInitiators(Element e) {
    int number = e.element();
    if (e.enterprise() == CISCO) {
      return number == CLIENT_OCTETS
          || (number >= FIRST_CLIENT_ADDRESS && number <= LAST_CLIENT_ADDRESS);
    }
    return e.enterprise() == IANA && (number == INITIATOR_OCTETS || number == INITIATOR_PACKETS);
  }

  private static boolean isDelta(Element e) {
    return e.name().contains("Delta");
  }

  private static boolean isTotal(Element e) {
    return e.name().endsWith("TotalCount");
  }
}
