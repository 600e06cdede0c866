/**
 * Distinct texts as bytes with ordinals ({@link io.millrace.datasets.text.Texts}), and registrable
 * domains of DNS names ({@link io.millrace.datasets.text.Domains}), by the public suffix list
 * ({@link io.millrace.datasets.text.RegistrySuffixes}).
 */
package io.millrace.datasets.text;
