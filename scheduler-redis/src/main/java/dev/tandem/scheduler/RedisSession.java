package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One connection to one Redis process, from its making until it breaks. It is never reconnected. */
final class RedisSession {

    /** Called with one reply, or with its failure. */
    interface ReplyHandler {
        void handle(@Nullable List<Object> reply, @Nullable Throwable failure);
    }

    private final RedisNode node;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final @Nullable ReplicaConfirmation replicas;

    RedisSession(
            RedisNode node,
            StatefulRedisConnection<byte[], byte[]> connection,
            @Nullable ReplicaConfirmation replicas) {
        this.node = node;
        this.connection = connection;
        this.replicas = replicas;
    }

    void onDisconnect(Runnable action) {
        RedisConnectionStateListener listener = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                action.run();
            }
        };
        connection.addListener(listener);
        if (replicas != null) {
            replicas.addListener(listener);
        }
    }

    boolean isOpen() {
        return connection.isOpen() && (replicas == null || replicas.isOpen());
    }

    RedisNode node() {
        return node;
    }

    void send(ScriptCall call, byte[][] keys, ReplyHandler handler) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(call.script().sha())
                .add(keys.length)
                .addKeys(keys);
        for (byte[] arg : call.args()) {
            args.add(arg);
        }
        AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
        command.onComplete(handler::handle);
        connection.dispatch(command);
    }

    /** Asks Redis for the memory section of INFO. */
    CompletionStage<String> memoryInfo() {
        return connection.async().info("memory");
    }

    /** Asks replicas, if any must confirm, whether they have everything written so far. */
    void confirmReplication(Partition partition) {
        if (replicas != null) {
            replicas.request(partition);
        }
    }

    /** Returns whether replicas have what was answered a horizon before {@code sentAt}; true if none must confirm. */
    boolean isDurable(long sentAt) {
        return replicas == null || replicas.isDurable(sentAt);
    }

    void close() {
        connection.closeAsync();
        if (replicas != null) {
            replicas.close();
        }
    }
}
