package dev.tandem.runtime;

/** Starts the program that a builder describes. Applications use {@link TandemBuilder#start}; their tests put another in its place. */
@FunctionalInterface
public interface TandemStarter {

    /** Starts the program. @return what stops it */
    AutoCloseable start(TandemBuilder program);
}
