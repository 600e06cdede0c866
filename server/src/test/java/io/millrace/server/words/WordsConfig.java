package io.millrace.server.words;

import java.io.Serializable;

/**
 * Settings of the pipeline.
 *
 * @param enabled whether the job runs
 * @param least minimum number of letters of a stored word
 */
record WordsConfig(boolean enabled, int least) implements Serializable {}
