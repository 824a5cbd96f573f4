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

/** The life of one connection to one Redis process. */
final class Session {

    /** Told of one answer, or of its failure. */
    interface Reply {
        void answered(@Nullable List<Object> reply, @Nullable Throwable failure);
    }

    private final Node node;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final @Nullable Replicas replicas;

    Session(Node node, StatefulRedisConnection<byte[], byte[]> connection, @Nullable Replicas replicas) {
        this.node = node;
        this.connection = connection;
        this.replicas = replicas;
    }

    void whenBroken(Runnable told) {
        RedisConnectionStateListener listener = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                told.run();
            }
        };
        connection.addListener(listener);
        if (replicas != null) {
            replicas.whenBroken(listener);
        }
    }

    boolean isOpen() {
        return connection.isOpen() && (replicas == null || replicas.isOpen());
    }

    Node node() {
        return node;
    }

    void send(Requests.Call call, byte[][] keys, Reply reply) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(call.script().sha())
                .add(keys.length)
                .addKeys(keys);
        for (byte[] arg : call.args()) {
            args.add(arg);
        }
        AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
        command.onComplete(reply::answered);
        connection.dispatch(command);
    }

    /** What Redis says of its memory: the lines of INFO. */
    CompletionStage<String> memory() {
        return connection.async().info("memory");
    }

    /** A probe of this partition was sent. */
    void probed(Partition partition) {
        if (replicas != null) {
            replicas.probed(partition);
        }
    }

    /** Whether what was answered a horizon before {@code sentAt} is durable, as far as replicas go. */
    boolean durable(long sentAt) {
        return replicas == null || replicas.durable(sentAt);
    }

    void close() {
        connection.closeAsync();
        if (replicas != null) {
            replicas.close();
        }
    }
}
