package dev.tandem.scheduler;

import dev.tandem.task.store.HandledTypes;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The form in which Redis keeps the types that an executor has handlers for: a version, and a line for each queue with its
 * types, encoded as in URLs and separated by commas.
 */
final class HandlerAnnouncement {

    /** An executor with more than this announces nothing, because every other one reads it. */
    static final int MAX_LENGTH = 64 * 1024;

    private static final String VERSION = "1";

    private HandlerAnnouncement() {}

    static String encode(Map<String, HandledTypes> handled) {
        StringBuilder text = new StringBuilder(VERSION);
        new TreeMap<>(handled).forEach((queue, handlers) -> {
            text.append('\n').append(queue).append('=').append(handlers.any() ? "any" : "some");
            handlers.types().stream()
                    .sorted()
                    .forEach(type -> text.append(',').append(URLEncoder.encode(type, StandardCharsets.UTF_8)));
        });
        return text.toString();
    }

    /** Reads what a program of this or a later version wrote; nothing if it cannot be read. */
    static Map<String, HandledTypes> decode(String text) {
        Map<String, HandledTypes> handled = new TreeMap<>();
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(VERSION)) {
            return handled;
        }
        for (int i = 1; i < lines.length; i++) {
            int at = lines[i].indexOf('=');
            String[] parts = lines[i].substring(at + 1).split(",", -1);
            Set<String> types = new HashSet<>();
            try {
                for (int j = 1; j < parts.length; j++) {
                    types.add(URLDecoder.decode(parts[j], StandardCharsets.UTF_8));
                }
            } catch (IllegalArgumentException e) {
                // One that cannot be read must not keep the others from being known.
                return Map.of();
            }
            handled.put(lines[i].substring(0, Math.max(0, at)), new HandledTypes(types, parts[0].equals("any")));
        }
        return handled;
    }
}
