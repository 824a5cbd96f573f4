package dev.tandem.local;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which kind of broker is taken: a container where Docker answers, else a process. */
final class Discovery {

    private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

    // An engine that could not do it once (no way to the images, say) is not asked again.
    private static volatile boolean dockerFailed;

    private Discovery() {}

    /**
     * Starts the first kind that the mode allows and that is here.
     *
     * @param data a folder that must keep the data: then a container is no choice, for its data goes with it
     * @param container starts one in Docker
     * @param process starts one as a process, under a mode other than Docker's
     */
    static <T> T choose(LocalMode mode, @Nullable Path data, Supplier<T> container, Function<LocalMode, T> process) {
        return switch (mode) {
            case PROCESS, PATH, EMBEDDED -> process.apply(mode);
            case DOCKER -> {
                DockerEngine.require();
                if (data != null) {
                    throw new LocalException(LocalMode.VARIABLE + "=docker keeps no data, and " + data
                            + " is to keep it. Leave the folder out, or set " + LocalMode.VARIABLE + "=process.");
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
                            "Docker answers, but the container did not start; a local process takes its place. {}",
                            e.getMessage());
                    yield process.apply(LocalMode.PROCESS);
                }
            }
        };
    }
}
