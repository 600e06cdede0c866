/**
 * Model of an exchange point's traffic: networks, applications, daily rhythm and attacks, packet by
 * packet.
 */
package io.millrace.traffic.model;
