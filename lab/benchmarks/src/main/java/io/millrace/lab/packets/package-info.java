/**
 * Packets counted at line rate: headers in memory, replayed through two steps of the engine, beside
 * the same loop without any engine.
 */
package io.millrace.lab.packets;
