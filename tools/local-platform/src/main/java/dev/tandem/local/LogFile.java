package dev.tandem.local;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that a process writes its output to. */
record LogFile(Path path) {

    private static final int TAIL_BYTES = 4_000;

    /** Returns the end of the log in words, for messages. */
    String tail() {
        try {
            String end = Files.exists(path) ? end() : "";
            return end.isEmpty() ? "Its log " + path + " is empty." : "The end of its log " + path + ":\n" + end;
        } catch (IOException e) {
            return "Its log " + path + " cannot be read: " + e.getMessage();
        }
    }

    private String end() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.min(TAIL_BYTES, file.length())];
            file.seek(file.length() - bytes.length);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8).strip();
        }
    }
}
