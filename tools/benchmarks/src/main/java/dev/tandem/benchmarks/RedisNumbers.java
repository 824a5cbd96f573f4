package dev.tandem.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a Redis says of itself. */
final class RedisNumbers implements AutoCloseable {

    private static final String COMMAND = "cmdstat_";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    RedisNumbers(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
    }

    /** The processor time that it has used, user and system. */
    double processorMicros() {
        Map<String, String> cpu = info("cpu");
        return 1e6 * (number(cpu, "used_cpu_sys") + number(cpu, "used_cpu_user"));
    }

    /** The memory that it says it uses, in bytes. */
    long usedMemory() {
        return (long) number(info("memory"), "used_memory");
    }

    /** How many scripts ran so far: each is a request of the store's. */
    long scripts() {
        return commands().getOrDefault("evalsha", 0L);
    }

    /** The time that scripts took so far, in microseconds. */
    double scriptMicros() {
        String value = info("commandstats").getOrDefault(COMMAND + "evalsha", "usec=0,");
        String micros = value.substring(value.indexOf("usec=") + "usec=".length());
        return Double.parseDouble(micros.substring(0, micros.indexOf(',')));
    }

    /** How often each command ran so far, those inside of scripts too. */
    Map<String, Long> commands() {
        Map<String, Long> calls = new LinkedHashMap<>();
        info("commandstats").forEach((name, value) -> {
            if (name.startsWith(COMMAND)) {
                String count = value.substring(value.indexOf("calls=") + "calls=".length(), value.indexOf(','));
                calls.put(name.substring(COMMAND.length()), Long.parseLong(count));
            }
        });
        return calls;
    }

    private Map<String, String> info(String section) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : connection.sync().info(section).split("\r?\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).trim());
            }
        }
        return fields;
    }

    private static double number(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalStateException("Redis does not tell its " + name);
        }
        return Double.parseDouble(value);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
