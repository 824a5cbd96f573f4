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
    private final @Nullable DurabilityBarrier barrier;

    RedisSession(
            RedisNode node, StatefulRedisConnection<byte[], byte[]> connection, @Nullable DurabilityBarrier barrier) {
        this.node = node;
        this.connection = connection;
        this.barrier = barrier;
    }

    void onDisconnect(Runnable action) {
        RedisConnectionStateListener listener = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                action.run();
            }
        };
        connection.addListener(listener);
        if (barrier != null) {
            barrier.addListener(listener);
        }
    }

    boolean isOpen() {
        return connection.isOpen() && (barrier == null || barrier.isOpen());
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

    /** Asks Redis for the replication section of INFO. */
    CompletionStage<String> replicationInfo() {
        return connection.async().info("replication");
    }

    /** Returns how many replicas must confirm. */
    int replicas() {
        return barrier == null ? 0 : barrier.replicas();
    }

    /** Asks replicas and disks, if they must confirm, whether they have everything written so far. */
    void confirmWrites(Partition partition, long leaseMillis) {
        if (barrier != null) {
            barrier.request(partition, leaseMillis);
        }
    }

    /** Asks disks early whether they have what was written so far, since a sync takes a while. */
    void handedOver(Partition partition) {
        if (barrier != null) {
            barrier.requestEarly(partition);
        }
    }

    /** Returns whether what was answered a horizon before {@code sentAt} is safe; true if nothing must confirm. */
    boolean isDurable(long sentAt) {
        return barrier == null || barrier.isDurable(sentAt);
    }

    /** Returns whether too few replicas have answered for half a lease. */
    boolean isCutOff() {
        return barrier != null && barrier.isCutOff();
    }

    void close() {
        connection.closeAsync();
        if (barrier != null) {
            barrier.close();
        }
    }
}
