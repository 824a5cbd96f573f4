package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A channel for declarations. The broker closes a channel when it refuses one, so it is reopened when needed. */
final class DeclareChannel {

    /** One declaration. */
    interface Call {
        void on(Channel channel) throws IOException;
    }

    private final Connection connection;
    private @Nullable Channel channel;

    DeclareChannel(Connection connection) {
        this.connection = connection;
    }

    /** Makes the call. Returns its failure, or null if it succeeded. */
    @Nullable
    IOException attempt(Call call) throws IOException {
        try {
            call.on(open());
            return null;
        } catch (IOException e) {
            return e;
        } catch (ShutdownSignalException e) {
            return new IOException(e);
        }
    }

    private Channel open() throws IOException {
        Channel current = channel;
        if (current == null || !current.isOpen()) {
            current = RabbitConnector.openChannel(connection);
            channel = current;
        }
        return current;
    }

    void close() throws IOException {
        Channel current = channel;
        if (current != null) {
            current.abort();
        }
    }
}
