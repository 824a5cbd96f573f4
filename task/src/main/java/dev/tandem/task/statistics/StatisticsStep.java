package dev.tandem.task.statistics;

/** How long the points of time are for which statistics are kept. The longer ago something was, the longer its point is. */
public enum StatisticsStep {
    MINUTE(1, 180),
    FIVE_MINUTES(5, 300),
    HOUR(60, 336);

    private final int minutes;
    private final int most;

    StatisticsStep(int minutes, int most) {
        this.minutes = minutes;
        this.most = most;
    }

    /** Returns the length of a point. */
    public int minutes() {
        return minutes;
    }

    /** Returns how many points of this length are kept at most. */
    public int most() {
        return most;
    }

    /** Returns the beginning of the point to which a minute belongs, in minutes since 1970. */
    public long startOf(long minute) {
        return minute - Math.floorMod(minute, (long) minutes);
    }
}
