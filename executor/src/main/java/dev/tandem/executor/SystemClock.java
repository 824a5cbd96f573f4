package dev.tandem.executor;

/** The clocks of this machine. Elapsed time counts from the start of the process, so that it is never negative. */
enum SystemClock implements ExecutorClock {
    INSTANCE;

    private static final long ORIGIN = System.nanoTime();

    @Override
    public long nanos() {
        return System.nanoTime() - ORIGIN;
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }
}
