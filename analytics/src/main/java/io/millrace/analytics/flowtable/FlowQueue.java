package io.millrace.analytics.flowtable;

final class FlowQueue {
  final long idleMicros;
  private Flow oldest;
  private Flow newest;

  FlowQueue(long idleMicros) {
    this.idleMicros = idleMicros;
  }

  Flow oldest() {
    return oldest;
  }

  void add(Flow flow) {
    flow.queue = this;
    flow.newer = null;
    flow.older = newest;
    if (newest == null) {
      oldest = flow;
    } else {
      newest.newer = flow;
    }
    newest = flow;
  }

  void remove(Flow flow) {
    if (flow.older == null) {
      oldest = flow.newer;
    } else {
      flow.older.newer = flow.newer;
    }
    if (flow.newer == null) {
      newest = flow.older;
    } else {
      flow.newer.older = flow.older;
    }
    flow.queue = null;
    flow.older = null;
    flow.newer = null;
  }

  boolean isNewest(Flow flow) {
    return newest == flow;
  }
}
