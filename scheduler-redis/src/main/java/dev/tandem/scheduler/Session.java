package dev.tandem.scheduler;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The life of one connection to one Redis process. */
final class Session {

    /** Told of one answer, or of its failure. */
    interface Reply {
        void answered(@Nullable List<Object> reply, @Nullable Throwable failure);
    }

    private final Node node;
    private final StatefulRedisConnection<byte[], byte[]> connection;

    Session(Node node, StatefulRedisConnection<byte[], byte[]> connection) {
        this.node = node;
        this.connection = connection;
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

    /** A probe was sent. */
    void probed() {}

    /** Whether what was answered a horizon before {@code sentAt} is on the replicas. */
    boolean durable(@Nullable Long sentAt) {
        return true;
    }

    void close() {
        connection.closeAsync();
    }
}
