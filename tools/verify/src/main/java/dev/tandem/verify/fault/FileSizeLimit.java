package dev.tandem.verify.fault;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Simulates a full disk for one process: the kernel refuses to let its files grow ({@code RLIMIT_FSIZE}). Writes fail
 * with {@code EFBIG}, where a full disk reports {@code ENOSPC}.
 */
final class FileSizeLimit {

    private FileSizeLimit() {}

    /** Makes all writes of the process beyond the first byte of a file fail. */
    static void block(long process) throws InterruptedException {
        set(process, "1");
    }

    /** Lets the process write again. */
    static void unblock(long process) throws InterruptedException {
        set(process, "unlimited");
    }

    private static void set(long process, String bytes) throws InterruptedException {
        try {
            // Only the soft limit, since the hard limit could not be raised again.
            int status = new ProcessBuilder("prlimit", "--pid", Long.toString(process), "--fsize=" + bytes + ":")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException("prlimit could not set the file size limit of process " + process
                        + ": it ended with status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot run prlimit", e);
        }
    }
}
