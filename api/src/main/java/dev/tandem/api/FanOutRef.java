package dev.tandem.api;

/**
 * A fan-out whose subtasks are all published.
 *
 * @param id names it for people, in the API and on the command line
 * @param subtasks how many subtasks it has
 */
public record FanOutRef(String id, long subtasks) {}
