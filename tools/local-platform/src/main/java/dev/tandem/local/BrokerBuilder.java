package dev.tandem.local;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all local brokers have. Not thread-safe.
 *
 * @param <S> the type of the builder itself
 */
public abstract class BrokerBuilder<S extends BrokerBuilder<S>> {

    private final Map<String, String> settings = new LinkedHashMap<>();
    private LocalMode mode = LocalMode.configured();
    private boolean fullSpeed;
    private int port;
    private @Nullable Path data;

    BrokerBuilder() {}

    abstract S self();

    /** Sets the port. The default is a free one. */
    public S port(int number) {
        this.port = number;
        return self();
    }

    /** Sets a folder that keeps the data. The default, null, is a temporary folder. */
    public S data(@Nullable Path folder) {
        this.data = folder;
        return self();
    }

    /** Sets a line of the broker's own settings, over the defaults. Qpid Broker-J ignores it. */
    public S setting(String name, String value) {
        settings.put(name, value);
        return self();
    }

    /** Sets which kinds of brokers may be used. The default is {@link LocalMode#configured()}. */
    public S mode(LocalMode allowed) {
        this.mode = allowed;
        return self();
    }

    /** Has an embedded broker run faster once it is warm, and start slower: for a benchmark or for long use. */
    public S fullSpeed() {
        this.fullSpeed = true;
        return self();
    }

    final Map<String, String> settings() {
        return settings;
    }

    final LocalMode mode() {
        return mode;
    }

    final boolean isFullSpeed() {
        return fullSpeed;
    }

    final @Nullable Path data() {
        return data;
    }

    /** Creates the folders of a broker that runs as a process. */
    final BrokerLocation location(String name) {
        return BrokerLocation.create(name, port, data);
    }

    /** Creates the folders of a broker that runs in a container. */
    final BrokerLocation containerLocation(String name) {
        return BrokerLocation.create(name, port, null);
    }
}
