package dev.tandem.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.LinkedHashMap;
import java.util.Map;

/** The statistics of a Redis, from its INFO command. */
final class RedisStatistics implements AutoCloseable {

    /** A request of the store is one script, called by this command. */
    static final String SCRIPT = "evalsha";

    private static final String COMMAND_PREFIX = "cmdstat_";

    /**
     * What Redis has used since its start.
     *
     * @param processorMicros user and system time
     * @param fileBytes size of the append-only file; NaN as a difference if Redis rewrote the file in between
     * @param rewrites how often Redis rewrote that file
     */
    record Usage(double processorMicros, long scripts, double fileBytes, long rewrites) {

        Usage since(Usage earlier) {
            return new Usage(
                    processorMicros - earlier.processorMicros,
                    scripts - earlier.scripts,
                    rewrites == earlier.rewrites ? fileBytes - earlier.fileBytes : Double.NaN,
                    rewrites - earlier.rewrites);
        }
    }

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    RedisStatistics(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
    }

    Usage usage() {
        Map<String, String> cpu = info("cpu");
        double micros = 1e6 * (number(cpu, "used_cpu_sys") + number(cpu, "used_cpu_user"));
        Map<String, String> persistence = info("persistence");
        return new Usage(
                micros,
                commands().getOrDefault(SCRIPT, 0L),
                Double.parseDouble(persistence.getOrDefault("aof_current_size", "NaN")),
                Long.parseLong(persistence.getOrDefault("aof_rewrites", "0")));
    }

    /** Returns the used memory in bytes. */
    long usedMemory() {
        return (long) number(info("memory"), "used_memory");
    }

    /** Returns the time that scripts have taken since the start, in microseconds. */
    double scriptMicros() {
        String statistics = info("commandstats").getOrDefault(COMMAND_PREFIX + SCRIPT, "usec=0,");
        String micros = statistics.substring(statistics.indexOf("usec=") + "usec=".length());
        return Double.parseDouble(micros.substring(0, micros.indexOf(',')));
    }

    /** Returns how often each command was called since the start, inside of scripts too. */
    Map<String, Long> commands() {
        Map<String, Long> calls = new LinkedHashMap<>();
        info("commandstats").forEach((name, value) -> {
            if (name.startsWith(COMMAND_PREFIX)) {
                String count = value.substring(value.indexOf("calls=") + "calls=".length(), value.indexOf(','));
                calls.put(name.substring(COMMAND_PREFIX.length()), Long.parseLong(count));
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
            throw new IllegalStateException("INFO of this Redis has no " + name);
        }
        return Double.parseDouble(value);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
