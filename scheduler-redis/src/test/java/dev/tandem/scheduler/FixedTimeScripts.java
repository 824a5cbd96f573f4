package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * The scripts on a real Redis, at a time and with a run id that the test sets. They fail if they touch an undeclared key.
 */
final class FixedTimeScripts implements AutoCloseable {

    /** Few, so that both ways to look up blocked keys are used, and that an acquire has several pages. */
    private static final Map<String, String> CONSTANTS = Map.of("FEW_BLOCKED_KEYS", "2", "MAX_PAGE_ENTRIES", "3");

    /** Refuses undeclared keys, except those of this class. */
    private static final String CHECKED_CALL = """
            local prefix = string.match(KEYS[1], '^[^}]*}:')
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

    /** The index of that key. */
    private static final int SUCCESSES = 22;

    private static final String SECONDS = "fixed-seconds";
    private static final String MICROS = "fixed-micros";
    private static final String RUN_ID = "fixed-run-id";

    private final StatefulConnection<byte[], byte[]> connection;
    private final RedisClusterAsyncCommands<byte[], byte[]> async;
    private final Map<Script, byte[]> shas = new EnumMap<>(Script.class);

    private FixedTimeScripts(
            StatefulConnection<byte[], byte[]> connection,
            RedisClusterAsyncCommands<byte[], byte[]> async,
            RedisClusterCommands<byte[], byte[]> sync) {
        this.connection = connection;
        this.async = async;
        ScriptAssembler assembler = new ScriptAssembler(CONSTANTS);
        for (Script script : Script.values()) {
            String source = assembler
                    .assemble(script.file())
                    .replace("redis.call", "checked")
                    .replace("call('TIME')", "{" + get(SECONDS) + ", " + get(MICROS) + "}")
                    .replace("call('INFO', 'server')", "('run_id:' .. " + get(RUN_ID) + ")");
            // One script only asks Redis what it may call, and calls nothing.
            assertThat(source)
                    .contains(script == Script.CHECK_RIGHTS ? "redis.acl_check_cmd" : "checked")
                    .doesNotContain("'TIME'", "'INFO'");
            shas.put(script, sync.scriptLoad(CHECKED_CALL + source).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Uses a single Redis. */
    static FixedTimeScripts on(RedisClient client) {
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        return new FixedTimeScripts(connection, connection.async(), connection.sync());
    }

    /** Uses every primary of a cluster. Each partition's requests go to the node that has its slot. */
    static FixedTimeScripts on(RedisClusterClient client) {
        StatefulRedisClusterConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        return new FixedTimeScripts(connection, connection.async(), connection.sync());
    }

    // Beside the partition's own keys, so that it is in the same slot.
    private static String get(String name) {
        return "call('GET', prefix .. '" + name + "')";
    }

    void setTime(Partition partition, long millis) {
        set(partition, SECONDS, Long.toString(millis / 1_000));
        set(partition, MICROS, Long.toString(millis % 1_000 * 1_000));
    }

    void setRunId(Partition partition, String id) {
        set(partition, RUN_ID, id);
    }

    StoreAnswer ask(StoreRequest request) {
        List<Object> reply = run(request, ScriptEncoder.encode(request, RedisKeys.DEFAULTS, 0, true, null));
        PagedReply paged = ScriptDecoder.paged(request, reply);
        if (paged == null) {
            return ScriptDecoder.decode(request, reply, true);
        }
        for (ScriptCall page = paged.nextPage(); page != null; page = paged.nextPage()) {
            assertThat(paged.add(run(request, page)))
                    .as("the epoch is the owner's")
                    .isTrue();
        }
        return paged.answer();
    }

    /** Returns what is kept of successes, in the order in which it was written. */
    List<SuccessPage.Kept> successes(Partition partition) {
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        List<SuccessPage.Kept> kept = new ArrayList<>();
        try {
            List<byte[]> pages = async.lrange(keys[SUCCESSES], 0, -1).get();
            assertThat(async.llen(keys[SUCCESSES + 1]).get()).isEqualTo(pages.size());
            pages.forEach(page -> kept.addAll(SuccessPage.read(page)));
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return kept;
    }

    /** Returns the dead tasks of a partition, and their groups. */
    StoredGroups groups(Partition partition) {
        return StoredGroups.read(partition, async);
    }

    private List<Object> run(StoreRequest request, ScriptCall call) {
        byte[][] keys = RedisKeys.DEFAULTS.of(request.partition());
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(shas.get(call.script()))
                .add(keys.length)
                .addKeys(keys);
        call.args().forEach(args::add);
        AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
        connection.dispatch(command);
        try {
            return command.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(CanonicalText.of(request), e);
        }
    }

    private void set(Partition partition, String name, String value) {
        var unused = async.set(
                ("tandem:{" + partition + "}:" + name).getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        connection.close();
    }
}
