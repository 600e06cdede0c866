package io.millrace.wire.netflow;

/**
 * Scope of a sampling rate in options data, the narrowest first: the first one that matches a
 * record and has a rate wins. A rate never applies outside of its scope.
 */
enum RateScope {
  /** Records with the interface as ingress or egress; by index. */
  INTERFACE,
  /** Records with the ingress interface. */
  INGRESS,
  /** Records with the egress interface. */
  EGRESS,
  /** Records that name the line card; in version 9 also by the lowest byte of the source id. */
  LINE_CARD,
  /** Records of a template of the same domain. */
  TEMPLATE,
  /** Records of the domain, if only one cache has a rate, since records do not name their cache. */
  CACHE,
  /** Records of an observation domain. */
  DOMAIN,
  /** All records of the device. */
  ALL,
  /** Records that name a sampler. */
  SAMPLER,
  /** Records without a sampler, if all samplers have the same rate. */
  ONLY_SAMPLER;

  private static final int SELECTION_SEQUENCE = 301;
  private static final int LINE_CARD_ID = 141;
  private static final int METERING_PROCESS = 143;
  private static final int TEMPLATE_ID = 145;
  private static final int FLOW_ID = 148;
  private static final int DOMAIN_ID = 149;
  private static final int OBSERVATION_POINT = 138;

  private static final int V9_LINE_CARD = 3;
  private static final int V9_CACHE = 4;
  private static final int V9_TEMPLATE = 5;

  boolean isOfDevice() {
    return this != TEMPLATE && this != CACHE;
  }

  /** {@code scope} is null if it can match no record; {@code field} has the id, -1 for all. */
  record Place(RateScope scope, int field) {
    private static final Place OF_ALL = new Place(ALL, -1);

    static Place of(Template template) {
      Place narrowest = OF_ALL;
      for (int i = 0; i < template.fields(); i++) {
        Place place = of(template, i);
        if (place != null && (place.scope == null || place.isNarrower(narrowest))) {
          narrowest = place;
        }
      }
      return narrowest;
    }

    private boolean isNarrower(Place other) {
      return other.scope != null && scope.ordinal() < other.scope.ordinal();
    }

    private static Place of(Template template, int i) {
      boolean isScope = i < template.scopes;
      int element = template.element[i];
      if (template.enterprise[i] == NetflowLayout.V9_SCOPE) {
        return switch (element) {
          case NetflowLayout.V9_SCOPE_INTERFACE -> new Place(INTERFACE, i);
          case V9_LINE_CARD -> new Place(LINE_CARD, i);
          case V9_CACHE -> new Place(CACHE, i);
          case V9_TEMPLATE -> new Place(TEMPLATE, i);
          default -> null;
        };
      }
      if (template.enterprise[i] != 0) {
        return null;
      }
      return switch (element) {
        case InformationElements.INGRESS_INTERFACE -> new Place(INGRESS, i);
        case InformationElements.EGRESS_INTERFACE -> new Place(EGRESS, i);
        case LINE_CARD_ID -> isScope ? new Place(LINE_CARD, i) : null;
        case TEMPLATE_ID -> isScope ? new Place(TEMPLATE, i) : null;
        case METERING_PROCESS -> isScope ? new Place(CACHE, i) : null;
        case DOMAIN_ID -> isScope ? new Place(DOMAIN, i) : null;
        case OBSERVATION_POINT, FLOW_ID, SELECTION_SEQUENCE -> isScope ? new Place(null, i) : null;
        default -> null;
      };
    }
  }
}
