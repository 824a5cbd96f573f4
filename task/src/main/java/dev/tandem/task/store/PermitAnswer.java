package dev.tandem.task.store;

/**
 * What the store answers to a {@link PermitRequest}.
 *
 * @param held the permits that the executor holds now. Runs that go on without one count, but none begins in their place
 * @param share how many it should hold at most while others wait
 * @param othersWait whether another executor wants more permits than it holds
 * @param max the most permits of all executors that is in force: that of the request, unless an operator has set another one
 */
public record PermitAnswer(int held, int share, boolean othersWait, int max) {}
