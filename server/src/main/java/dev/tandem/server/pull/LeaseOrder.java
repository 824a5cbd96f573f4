package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;

/** The request of a worker about a task that it has. */
public record LeaseOrder(LeaseName lease, LeaseRequest request) {}
