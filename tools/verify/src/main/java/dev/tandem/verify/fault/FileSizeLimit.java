package dev.tandem.verify.fault;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * No room for the files of a process: the kernel is told that they may not grow ({@code RLIMIT_FSIZE}). What the process
 * gets is a failed write, with {@code EFBIG} where a full disk says {@code ENOSPC}.
 */
final class FileSizeLimit {

    private FileSizeLimit() {}

    /** From now on no file may be written beyond its first byte. */
    static void full(long process) throws InterruptedException {
        set(process, "1");
    }

    /** There is room again. */
    static void room(long process) throws InterruptedException {
        set(process, "unlimited");
    }

    private static void set(long process, String bytes) throws InterruptedException {
        try {
            // The soft one only: the hard one could not be raised again.
            int status = new ProcessBuilder("prlimit", "--pid", Long.toString(process), "--fsize=" + bytes + ":")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException(
                        "prlimit refused to limit the files of process " + process + ", with status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
