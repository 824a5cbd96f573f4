package dev.tandem.local;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Brokers that were started for a run, with the names of their products. Closes them all at its end. Thread-safe. */
public final class StartedBrokers implements AutoCloseable {

    private final Consumer<String> messages;
    private final List<AutoCloseable> brokers = new ArrayList<>();
    private final Set<String> products = new LinkedHashSet<>();

    /** @param messages gets a line for people about a broker that does not close */
    public StartedBrokers(Consumer<String> messages) {
        this.messages = messages;
    }

    /**
     * Adds a broker, which is closed with this.
     *
     * @param product its product and version, and where it comes from
     * @return whether no broker of this product was added before
     */
    public synchronized boolean add(AutoCloseable broker, String product) {
        brokers.add(broker);
        return products.add(product);
    }

    /** Closes one broker before the others. Its product stays in the list. */
    public synchronized void close(AutoCloseable broker) {
        if (brokers.remove(broker)) {
            closeQuietly(broker);
        }
    }

    /** Returns all products that were added, in their order, each once. */
    public synchronized List<String> products() {
        return List.copyOf(products);
    }

    /** Closes the brokers, the last one first. */
    @Override
    public synchronized void close() {
        Collections.reverse(brokers);
        brokers.forEach(this::closeQuietly);
        brokers.clear();
    }

    private void closeQuietly(AutoCloseable broker) {
        try {
            broker.close();
        } catch (Exception e) {
            messages.accept("A broker could not be closed: " + broker + ": " + e.getMessage());
        }
    }
}
