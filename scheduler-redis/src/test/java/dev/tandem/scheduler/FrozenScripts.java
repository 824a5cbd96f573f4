package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** The scripts on a real Redis, with the time and the run id that a test gives them, and held to their declared keys. */
final class FrozenScripts implements AutoCloseable {

    /** Refuses every key that is not declared. The clock and the run id are this class's own. */
    private static final String CHECKED = """
            local frozen = string.match(KEYS[1], '^[^}]*}:')
            local declared = {}
            for _, key in ipairs(KEYS) do declared[key] = true end
            local function checked(command, ...)
              local keys = {...}
              if command == 'PUBLISH' or command == 'GET' then
                keys = {}
              elseif command ~= 'EXISTS' and command ~= 'DEL' then
                keys = {keys[1]}
              end
              for _, key in ipairs(keys) do
                if not declared[key] then error(command .. ' of the undeclared key ' .. tostring(key)) end
              end
              return redis.call(command, ...)
            end
            """;

    private static final String SECONDS = "frozen-seconds";
    private static final String MICROS = "frozen-micros";
    private static final String RUN = "frozen-run";

    private final StatefulConnection<byte[], byte[]> connection;
    private final RedisClusterAsyncCommands<byte[], byte[]> async;
    private final Map<Script, byte[]> shas = new EnumMap<>(Script.class);

    private FrozenScripts(
            StatefulConnection<byte[], byte[]> connection,
            RedisClusterAsyncCommands<byte[], byte[]> async,
            RedisClusterCommands<byte[], byte[]> sync) {
        this.connection = connection;
        this.async = async;
        for (Script script : Script.values()) {
            String source = new String(script.source(), StandardCharsets.UTF_8)
                    .replace("redis.call", "checked")
                    // So low that both ways to look up blocked keys are met.
                    .replace("local FEW = 32", "local FEW = 2")
                    .replace("call('TIME')", "{" + get(SECONDS) + ", " + get(MICROS) + "}")
                    .replace("call('INFO', 'server')", "('run_id:' .. " + get(RUN) + ")");
            shas.put(script, sync.scriptLoad(CHECKED + source).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** On a single Redis. */
    static FrozenScripts on(RedisClient client) {
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        return new FrozenScripts(connection, connection.async(), connection.sync());
    }

    /** On every primary of a cluster; each partition's requests go to the node that has its slot. */
    static FrozenScripts on(RedisClusterClient client) {
        StatefulRedisClusterConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        return new FrozenScripts(connection, connection.async(), connection.sync());
    }

    // Beside the partition's own keys, so that it is in the same slot.
    private static String get(String what) {
        return "call('GET', frozen .. '" + what + "')";
    }

    void time(Partition partition, long millis) {
        set(partition, SECONDS, Long.toString(millis / 1_000));
        set(partition, MICROS, Long.toString(millis % 1_000 * 1_000));
    }

    void runId(Partition partition, String id) {
        set(partition, RUN, id);
    }

    StoreAnswer ask(StoreRequest request, String executor) {
        Requests.Call call = Requests.encode(request, executor, 0);
        byte[][] keys = Keys.of(request.partition());
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(shas.get(call.script()))
                .add(keys.length)
                .addKeys(keys);
        call.args().forEach(args::add);
        AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
        connection.dispatch(command);
        try {
            return Answers.decode(request, command.get(), true);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(Canonical.of(request), e);
        }
    }

    private void set(Partition partition, String what, String value) {
        var unused = async.set(
                ("tandem:{" + partition + "}:" + what).getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        connection.close();
    }
}
