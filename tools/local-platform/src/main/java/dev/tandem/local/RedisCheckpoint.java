package dev.tandem.local;

import java.nio.file.Path;

/** A copy of the data of a Redis at one moment. See {@link LocalRedis#checkpoint()}. */
public final class RedisCheckpoint {

    private final Path folder;

    RedisCheckpoint(Path folder) {
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }
}
