package dev.tandem.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts, one file each beside this class. */
enum Script {
    ACQUIRE,
    STEP,
    HAND,
    DUE,
    RENEW,
    PATROL,
    COMMITTED,
    GONE,
    RELEASE,
    KEEP,
    LATE,
    RECALL,
    REDELIVER,
    ADMIN,
    INSPECT,
    TRIM;

    private static final String INCLUDE = "-- @include ";

    private final byte[] source;
    private final byte[] sha;

    Script() {
        String text = expand(name().toLowerCase(Locale.ROOT) + ".lua");
        source = text.getBytes(StandardCharsets.UTF_8);
        sha = sha1(source).getBytes(StandardCharsets.US_ASCII);
    }

    byte[] source() {
        return source;
    }

    /** What EVALSHA names it by. */
    byte[] sha() {
        return sha;
    }

    /** The file with its {@code -- @include name} lines replaced by {@code include/name.lua}, without comment lines. */
    private static String expand(String file) {
        StringBuilder text = new StringBuilder();
        for (String line : read(file).split("\n")) {
            String stripped = line.strip();
            if (stripped.startsWith(INCLUDE)) {
                text.append(expand("include/" + stripped.substring(INCLUDE.length()) + ".lua"));
            } else if (!stripped.isEmpty() && !stripped.startsWith("--")) {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing beside " + Script.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
