package dev.tandem.scheduler;

import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes what a Redis database holds as text: keys in order, each with its type and content. Bytes other than printable
 * ASCII are in hexadecimal.
 */
final class RedisDump {

    private static final String INDENT = "\n  ";

    private final RedisCommands<byte[], byte[]> redis;

    RedisDump(RedisCommands<byte[], byte[]> redis) {
        this.redis = redis;
    }

    /** Returns each key's entry by its name, except the keys of {@link FixedTimeScripts}. */
    Map<String, String> entries() {
        Map<String, String> entries = new TreeMap<>();
        for (byte[] key : redis.keys("*")) {
            String name = new String(key, StandardCharsets.UTF_8);
            if (!name.contains(":fixed-")) {
                entries.put(name, entry(name, key));
            }
        }
        return entries;
    }

    private String entry(String name, byte[] key) {
        String type = redis.type(key);
        return name + " (" + type + expiry(key) + ")"
                + content(type, key).map(line -> INDENT + line).collect(Collectors.joining()) + "\n";
    }

    /** Rounds up to minutes, because the real time goes on during the test. */
    private String expiry(byte[] key) {
        long millis = redis.pttl(key);
        return millis < 0 ? "" : ", expires in " + (millis + 59_999) / 60_000 + " min";
    }

    private Stream<String> content(String type, byte[] key) {
        return switch (type) {
            case "string" -> Stream.of(text(redis.get(key)));
            case "list" -> redis.lrange(key, 0, -1).stream().map(RedisDump::text);
            case "set" -> redis.smembers(key).stream().map(RedisDump::text).sorted();
            case "hash" ->
                redis.hgetall(key).entrySet().stream()
                        .map(field -> text(field.getKey()) + " = " + text(field.getValue()))
                        .sorted();
            case "zset" -> members(redis.zrangeWithScores(key, 0, -1));
            default -> throw new IllegalStateException("A key has the unexpected type " + type);
        };
    }

    private static Stream<String> members(List<ScoredValue<byte[]>> members) {
        return members.stream().map(member -> score(member.getScore()) + "  " + text(member.getValue()));
    }

    private static String score(double score) {
        return Double.isInfinite(score) ? "inf" : String.format("%.0f", score);
    }

    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (byte each : bytes) {
            boolean plain = each >= ' ' && each <= '~' && each != '"' && each != '\\';
            text.append(plain ? String.valueOf((char) each) : String.format("\\x%02x", each));
        }
        return text.append('"').toString();
    }
}
