package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Counts the bytes of all that a script reads, also of what it does not return. */
final class CountedReads {

    private static final String COUNTED = """
            local bytes_read = 0
            local function count(reply)
              if type(reply) == 'string' then
                bytes_read = bytes_read + #reply
              elseif type(reply) == 'table' then
                for _, item in ipairs(reply) do
                  count(item)
                end
              end
            end
            local function counted_call(...)
              local reply = redis.call(...)
              count(reply)
              return reply
            end
            local function script()
            %s
            end
            script()
            return {bytes_read}
            """;

    private CountedReads() {}

    /** Runs a script of a partition, and returns how many bytes it has read. */
    static long bytes(AdminConnection connection, Script script, Partition partition, String... args) {
        String source = new String(script.source(), StandardCharsets.UTF_8).replace("redis.call", "counted_call");
        byte[][] encoded = new byte[args.length][];
        for (int i = 0; i < args.length; i++) {
            encoded[i] = args[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        List<Object> reply = connection
                .run(commands -> commands.<List<Object>>eval(
                        COUNTED.formatted(source).getBytes(StandardCharsets.UTF_8),
                        ScriptOutputType.MULTI,
                        connection.keys().of(partition),
                        encoded))
                .join();
        return (Long) reply.get(0);
    }
}
