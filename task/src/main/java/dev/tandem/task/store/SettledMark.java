package dev.tandem.task.store;

/** The note by which the store knows that a position is settled, so that a later delivery of the task does not run. */
public sealed interface SettledMark {

    /** Nothing is noted. */
    SettledMark NONE = Unnumbered.NONE;

    /**
     * In a message queue: the channel that delivered the message is gone, so the broker will certainly redeliver it. The
     * position is noted, unless the store already has its envelope, because then the message was redelivered already.
     */
    SettledMark AWAITS_REDELIVERY = Unnumbered.AWAITS_REDELIVERY;

    /**
     * In a log: the bit of the record's offset is set.
     *
     * @param offset in the request's incarnation, 0 or more
     */
    record Offset(long offset) implements SettledMark {

        public Offset {
            requireNotNegative("offset", offset);
        }
    }

    /**
     * In a message queue: the message's identity (the 2nd to the 13th character of its position) is appended to a page.
     *
     * @param number of the page, 0 or more
     */
    record OnPage(long number) implements SettledMark {

        public OnPage {
            requireNotNegative("number", number);
        }
    }

    /** Marks without a number. */
    enum Unnumbered implements SettledMark {
        NONE,
        AWAITS_REDELIVERY
    }

    private static void requireNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "The " + name + " of a settled mark is " + value + ", it must be 0 or more");
        }
    }
}
