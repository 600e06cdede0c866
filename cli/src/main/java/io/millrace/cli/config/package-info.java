/**
 * Configuration: binds one YAML file to the records that the components declare. A key is a record
 * component, its default the value in the default record, its validation the record's constructor;
 * so a new setting is one line in a record and one sentence in {@code settings.properties}.
 */
package io.millrace.cli.config;
