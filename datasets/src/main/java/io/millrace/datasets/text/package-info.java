/**
 * Texts as bytes: each kept once, under an ordinal ({@link io.millrace.datasets.text.Texts}), and
 * the registrable domain of a DNS name ({@link io.millrace.datasets.text.Domains}), by the public
 * suffix list ({@link io.millrace.datasets.text.RegistrySuffixes}).
 */
package io.millrace.datasets.text;
