package dev.tandem.verify.check;

/**
 * A violation of a rule.
 *
 * @param at when it showed, by the host's monotonic clock
 * @param description what happened, with the ids of tasks and processes as evidence
 */
public record Finding(CheckerRule rule, long at, String description) {}
