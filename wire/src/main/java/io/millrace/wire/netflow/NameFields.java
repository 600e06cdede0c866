package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.InformationElements.APPLICATION_DESCRIPTION;
import static io.millrace.wire.netflow.InformationElements.APPLICATION_ID;
import static io.millrace.wire.netflow.InformationElements.APPLICATION_NAME;
import static io.millrace.wire.netflow.InformationElements.EGRESS_INTERFACE;
import static io.millrace.wire.netflow.InformationElements.EGRESS_VRF;
import static io.millrace.wire.netflow.InformationElements.INGRESS_INTERFACE;
import static io.millrace.wire.netflow.InformationElements.INGRESS_VRF;
import static io.millrace.wire.netflow.InformationElements.INTERFACE_DESCRIPTION;
import static io.millrace.wire.netflow.InformationElements.INTERFACE_NAME;
import static io.millrace.wire.netflow.InformationElements.SAMPLER_ID;
import static io.millrace.wire.netflow.InformationElements.SAMPLER_NAME;
import static io.millrace.wire.netflow.InformationElements.SELECTOR_ID;
import static io.millrace.wire.netflow.InformationElements.SELECTOR_NAME;
import static io.millrace.wire.netflow.InformationElements.VRF_NAME;

import io.millrace.wire.block.NameKind;

/** Indexes of fields with a number, its name and its description; -1 for absent ones. */
record NameFields(NameKind kind, int number, int name, int description) {
  /** Fields of the template's names; null if there are none. */
  static NameFields of(Template template) {
    if (!template.isOptions) {
      return null;
    }
    int interfaces = find(template, INGRESS_INTERFACE, EGRESS_INTERFACE);
    if (interfaces < 0) {
      interfaces = interfaceScope(template);
    }
    NameFields[] known = {
      new NameFields(
          NameKind.INTERFACE,
          interfaces,
          find(template, INTERFACE_NAME),
          find(template, INTERFACE_DESCRIPTION)),
      new NameFields(
          NameKind.VRF, find(template, INGRESS_VRF, EGRESS_VRF), find(template, VRF_NAME), -1),
      new NameFields(
          NameKind.APPLICATION,
          find(template, APPLICATION_ID),
          find(template, APPLICATION_NAME),
          find(template, APPLICATION_DESCRIPTION)),
      new NameFields(
          NameKind.SAMPLER,
          find(template, SELECTOR_ID, SAMPLER_ID),
          find(template, SELECTOR_NAME, SAMPLER_NAME),
          -1)
    };
    for (NameFields fields : known) {
      if (fields.number >= 0 && (fields.name >= 0 || fields.description >= 0)) {
        return fields;
      }
    }
    return null;
  }

  private static int find(Template template, int... elements) {
    for (int element : elements) {
      for (int i = 0; i < template.fields(); i++) {
        if (template.enterprise[i] == 0 && template.element[i] == element) {
          return i;
        }
      }
    }
    return -1;
  }

  private static int interfaceScope(Template template) {
    for (int i = 0; i < template.scopes; i++) {
      if (template.enterprise[i] == NetflowLayout.V9_SCOPE
          && template.element[i] == NetflowLayout.V9_SCOPE_INTERFACE) {
        return i;
      }
    }
    return -1;
  }
}
