/**
 * Configuration: one YAML file onto the records that the components declare beside themselves. A
 * key is a record's component, its default the component's value in the default record, its check
 * the record's constructor; so a new setting is one line in a record and one sentence in {@code
 * settings.properties}.
 */
package io.millrace.cli.config;
