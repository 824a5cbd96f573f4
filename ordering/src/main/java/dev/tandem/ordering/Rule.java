package dev.tandem.ordering;

/** Rules that the tests of the simulation break one at a time, to see that it notices. Production breaks none. */
enum Rule {
    /** A hand-over is committed or acked only when it is durable. */
    COMMIT_ONLY_DURABLE,
    /** The followers of a failed head are parked behind it. */
    PARK_FOLLOWERS,
    /** After a gap the partition is acquired again and what is not durable is sent again. */
    HEED_LOST,
    /** Keyed tasks that the store offers wait until all that a former owner may have begun came again. */
    OFFER_BEHIND_RELAYS,
    /** A queue's message without an id is never taken for one that was settled and maybe acked. */
    NAMELESS_NOT_BY_PAGE,
    /** A position is matched with one redelivery. */
    MATCH_ONCE,
    /** What is on a page stays there until its ack has arrived for sure. */
    KEEP_PAGES,
    /** A queue's message without an id is not taken for what runs on another channel that may be well. */
    NAMELESS_NOT_BY_CLAIM,
    /** What another partition had is acked only when that is durable there. */
    RECALL_UNTIL_DURABLE,
    /** What came again to an unordered queue is held back until all its partitions were asked. */
    RECALL
}
