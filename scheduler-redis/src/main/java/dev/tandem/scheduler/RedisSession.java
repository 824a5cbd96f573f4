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
import java.util.concurrent.CompletableFuture;
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
    private final boolean mayAskConfig;
    private final @Nullable DurabilityBarrier barrier;
    private final @Nullable ReplicaContact contact;

    /**
     * @param mayAskConfig whether CONFIG is allowed
     * @param barrier null if neither replicas nor the disk must confirm
     * @param contact null if no replica must confirm
     */
    RedisSession(
            RedisNode node,
            StatefulRedisConnection<byte[], byte[]> connection,
            boolean mayAskConfig,
            @Nullable DurabilityBarrier barrier,
            @Nullable ReplicaContact contact) {
        this.node = node;
        this.connection = connection;
        this.mayAskConfig = mayAskConfig;
        this.barrier = barrier;
        this.contact = contact;
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
        if (contact != null) {
            contact.addListener(listener);
        }
    }

    boolean isOpen() {
        return connection.isOpen() && (barrier == null || barrier.isOpen()) && (contact == null || contact.isOpen());
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

    /** Asks whether Redis is still fit. Used by the store's thread. */
    CompletableFuture<RedisFitness.Answer> askFitness(RedisFitness fitness, RedisKeys keys) {
        byte[] probe = node.links.isEmpty()
                ? null
                : keys.owner(node.links.iterator().next().partition());
        return fitness.ask(connection, node, probe, mayAskConfig);
    }

    /** Returns how many replicas must confirm. */
    int replicas() {
        return contact == null ? 0 : contact.replicas();
    }

    /** Asks replicas and disks, if they must confirm, whether they have everything written so far. */
    void confirmWrites(Partition partition) {
        if (barrier != null) {
            barrier.request(partition);
        }
    }

    /** Finds out in time whether the primary still reaches its replicas, if they must confirm. */
    void keepContact(Partition partition, long leaseMillis) {
        if (contact != null) {
            contact.keepFresh(partition, leaseMillis);
        }
    }

    /**
     * Returns whether the answer to a request may start tasks: the primary is known to reach its replicas.
     *
     * @param sentAt when the request was sent, by {@link System#nanoTime}
     */
    boolean mayStart(long sentAt) {
        return contact == null || contact.mayStart(sentAt);
    }

    /** Calls back when more may be known about {@link #mayStart}. */
    void whenContacted(Partition partition, Runnable action) {
        if (contact != null) {
            contact.whenAsked(partition, action);
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

    /** Returns whether too few replicas have answered for half a lease. Called every now and then. */
    boolean checkCutOff() {
        if (contact == null) {
            return false;
        }
        contact.askAgain();
        return contact.isCutOff();
    }

    void close() {
        connection.closeAsync();
        if (barrier != null) {
            barrier.close();
        }
        if (contact != null) {
            contact.close();
        }
    }
}
