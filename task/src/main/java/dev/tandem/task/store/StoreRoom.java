package dev.tandem.task.store;

/** How much room the store has for more tasks, from the least to the most. */
public enum StoreRoom {

    /** None. The store takes outcomes only, and no fresh task starts, for it might fail. */
    NONE,

    /** Some, but less than half: for tasks that fail, are delayed or must be parked, and not for those that could wait elsewhere. */
    SOME,

    /** More than half. */
    HALF;

    /** Whether there is room for tasks that must go to the store. */
    public boolean isLeft() {
        return this != NONE;
    }

    /** Whether there is room also for tasks that could wait elsewhere. */
    public boolean isHalfLeft() {
        return this == HALF;
    }
}
