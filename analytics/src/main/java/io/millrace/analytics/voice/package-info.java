/**
 * Calls that are protected from messaging traffic: {@link io.millrace.analytics.voice.VoiceGuard}
 * tells a base station controller to limit data while voice channels run out, and to stop that.
 */
package io.millrace.analytics.voice;
