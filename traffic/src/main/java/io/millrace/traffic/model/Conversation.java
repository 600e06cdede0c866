package io.millrace.traffic.model;

/** Two hosts and their application; reused when all its samples were generated. */
final class Conversation {
  int clientNetwork;
  int serverNetwork;
  boolean v6;
  long clientHigh;
  long clientLow;
  long serverHigh;
  long serverLow;
  Application application = Application.HTTPS;
  int clientPort;
  int serverPort;
  int tos;
  int clientHops;
  int serverHops;

  int samplesLeft;
}
