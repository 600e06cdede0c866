/**
 * Configuration: binds a YAML file to the configuration records of the components. A key is a
 * record component, its default is the value in the default record, and the record's constructor
 * validates it. So a new setting takes a line in a record and a sentence in {@code
 * settings.properties}.
 */
package io.millrace.cli.config;
