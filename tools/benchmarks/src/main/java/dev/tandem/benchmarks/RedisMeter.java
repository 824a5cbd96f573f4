package dev.tandem.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Measures what one request costs Redis, by the difference of its statistics before and after it. They count the work of others,
 * too: so look at many requests, and at the median or the least of them. Used by one thread.
 */
final class RedisMeter implements AutoCloseable {

    private static final int EMPTY = 50;

    /**
     * The cost of a request.
     *
     * @param millis the time that the caller waited
     * @param redisMillis the time of the processor that Redis's main thread took: commands, and reading and writing their bytes
     * @param commands those that were run, those in scripts too
     * @param bytes what Redis sent
     */
    record Cost(double millis, double redisMillis, long commands, long bytes) {

        private Cost minus(Cost other) {
            return new Cost(
                    millis,
                    Math.max(0, redisMillis - other.redisMillis),
                    Math.max(0, commands - other.commands),
                    Math.max(0, bytes - other.bytes));
        }
    }

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final Cost own;

    RedisMeter(String uri) throws Exception {
        client = RedisClient.create(uri);
        connection = client.connect();
        List<Cost> costs = new ArrayList<>();
        for (int i = 0; i < EMPTY; i++) {
            costs.add(whole(() -> null));
        }
        own = new Cost(
                0,
                Median.of(costs.stream().map(Cost::redisMillis).toList()),
                costs.stream().mapToLong(Cost::commands).min().orElse(0),
                costs.stream().mapToLong(Cost::bytes).min().orElse(0));
    }

    /** Runs a request, and returns its cost without that of the measurement. */
    Cost cost(Callable<?> request) throws Exception {
        return whole(request).minus(own);
    }

    private Cost whole(Callable<?> request) throws Exception {
        String statistics = connection.sync().info("stats");
        String commandsBefore = connection.sync().info("commandstats");
        String cpuBefore = connection.sync().info("cpu");
        long from = System.nanoTime();
        request.call();
        long until = System.nanoTime();
        String cpu = connection.sync().info("cpu");
        String commands = connection.sync().info("commandstats");
        long sent = number(connection.sync().info("stats"), "total_net_output_bytes:")
                - number(statistics, "total_net_output_bytes:");
        // The replies to these questions vary in their length.
        for (String reply : List.of(statistics, commandsBefore, cpuBefore, cpu, commands)) {
            sent -= reply.getBytes(StandardCharsets.UTF_8).length;
        }
        return new Cost(
                (until - from) / 1e6,
                1e3 * (seconds(cpu) - seconds(cpuBefore)),
                calls(commands) - calls(commandsBefore),
                sent);
    }

    private static double seconds(String cpu) {
        return value(cpu, "used_cpu_sys_main_thread:") + value(cpu, "used_cpu_user_main_thread:");
    }

    private static long calls(String commands) {
        return commands.lines()
                .filter(line -> line.startsWith("cmdstat_") && !line.startsWith("cmdstat_info:"))
                .mapToLong(line -> number(line, "calls="))
                .sum();
    }

    private static long number(String text, String name) {
        return (long) value(text, name);
    }

    private static double value(String text, String name) {
        int from = text.indexOf(name);
        if (from < 0) {
            throw new IllegalStateException("INFO of this Redis has no " + name);
        }
        int end = from + name.length();
        while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        return Double.parseDouble(text.substring(from + name.length(), end));
    }

    /** Forgets the slow commands so far, and notes those that take longer than this from now on. */
    void watchSlow(long micros) {
        connection.sync().configSet("slowlog-log-slower-than", Long.toString(micros));
        connection.sync().configSet("slowlog-max-len", "1000");
        connection.sync().slowlogReset();
    }

    /** Returns the time of the slowest command since {@link #watchSlow}, in milliseconds; 0 if none was slow. */
    double slowest() {
        return connection.sync().slowlogGet(1_000).stream()
                        .mapToLong(entry -> (Long) ((List<?>) entry).get(2))
                        .max()
                        .orElse(0)
                / 1e3;
    }

    double usedMemoryGib() {
        return number(connection.sync().info("memory"), "used_memory:") / (double) (1 << 30);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
