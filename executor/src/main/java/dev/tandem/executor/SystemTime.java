package dev.tandem.executor;

/** {@link System#nanoTime}, counted from the start of the process, so that it is never negative. */
enum SystemTime implements Time {
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
