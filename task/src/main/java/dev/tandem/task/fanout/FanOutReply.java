package dev.tandem.task.fanout;

import java.util.List;

/** The reply of a bucket of fan-outs to a call. */
public sealed interface FanOutReply {

    /** The requests were applied. @param answers in their order */
    record Applied(List<FanOutAnswer> answers) implements FanOutReply {}

    /**
     * Nothing was applied, because the store has forgotten calls of this caller.
     *
     * @param last the number of the last call that it knows; 0 if it knows none
     */
    record Gap(long last) implements FanOutReply {}
}
