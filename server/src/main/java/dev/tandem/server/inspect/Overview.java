package dev.tandem.server.inspect;

import java.util.Map;

/**
 * Facts of the store about several queues.
 *
 * @param queues all that were asked for
 * @param handlers what the executors of each queue say of their handlers; empty if the store did not answer
 */
public record Overview(Map<String, QueueFacts> queues, Map<String, QueueHandlers> handlers) {}
