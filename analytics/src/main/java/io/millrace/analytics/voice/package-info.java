/**
 * Protection of calls from messaging traffic: {@link io.millrace.analytics.voice.VoiceGuard}
 * commands a base station controller to limit data while voice channels run out, and to release the
 * limit.
 */
package io.millrace.analytics.voice;
