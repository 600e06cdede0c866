package io.millrace.server.words;

import java.io.Serializable;

/**
 * Words as they are configured.
 *
 * @param enabled whether the job runs
 * @param least letters of a word that is kept
 */
record WordsConfig(boolean enabled, int least) implements Serializable {}
