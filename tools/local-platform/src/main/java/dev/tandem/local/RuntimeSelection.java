package dev.tandem.local;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses whether a broker runs in a container or as a process. Thread-safe. */
final class RuntimeSelection {

    private static final Logger LOG = LoggerFactory.getLogger(RuntimeSelection.class);

    // An engine that failed once (it cannot pull the images, say) is not asked again.
    private static volatile boolean dockerFailed;

    private RuntimeSelection() {}

    /**
     * Starts a broker in the first way that the mode allows and this machine has.
     *
     * @param data a folder that must keep the data; this rules out a container, whose data is deleted with it
     * @param container starts one in Docker
     * @param process starts one as a process, under a mode other than Docker's
     */
    static <T> T choose(LocalMode mode, @Nullable Path data, Supplier<T> container, Function<LocalMode, T> process) {
        return switch (mode) {
            case PROCESS, PATH, EMBEDDED -> process.apply(mode);
            case DOCKER -> {
                DockerEngine.require();
                if (data != null) {
                    throw new LocalException(LocalMode.VARIABLE + "=docker cannot keep data in " + data
                            + ". Leave the folder out, or set " + LocalMode.VARIABLE + "=process.");
                }
                yield container.get();
            }
            case AUTO -> {
                if (data != null || dockerFailed || !DockerEngine.answers()) {
                    yield process.apply(LocalMode.PROCESS);
                }
                try {
                    yield container.get();
                } catch (LocalException e) {
                    dockerFailed = true;
                    LOG.warn(
                            "Docker answers, but the container did not start. Starting a local process instead. {}",
                            e.getMessage());
                    yield process.apply(LocalMode.PROCESS);
                }
            }
        };
    }
}
