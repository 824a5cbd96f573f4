package dev.tandem.verify.check;

/**
 * A rule that was broken.
 *
 * @param at when it showed, by the host's monotonic clock
 * @param text what happened, with ids, for people
 */
public record Finding(CheckerRule rule, long at, String text) {}
