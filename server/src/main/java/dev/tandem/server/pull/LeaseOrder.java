package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;

/** What a worker says of a task that it has. */
public record LeaseOrder(LeaseName lease, LeaseRequest request) {}
