package dev.tandem.server.archive;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stands for the archive where the settings have none. */
public final class NoArchive implements Archive {

    @Override
    public boolean enabled() {
        return false;
    }

    @Override
    public Found search(Search search, @Nullable String after, int max) {
        throw new IllegalStateException("There is no archive");
    }

    @Override
    public List<ArchivedOutcome> ofTask(String queue, String idOrRef, int max) {
        throw new IllegalStateException("There is no archive");
    }

    @Override
    public Status status() {
        return new Status(null, 0, 0, 0, 0, 0, 0);
    }
}
