package dev.tandem.spring;

import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.client.TransactionBoundary;
import dev.tandem.outbox.Outbox;
import dev.tandem.outbox.OutboxBacklog;
import dev.tandem.outbox.OutboxRelay;
import dev.tandem.outbox.RelaySettings;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.OutboxSettings;
import dev.tandem.runtime.settings.TandemSettings.OutboxUse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds out whether the application has an outbox, at the first question. By then its database has been migrated.
 * Thread-safe.
 */
final class ApplicationOutbox {

    private final ConfigurableListableBeanFactory beans;
    private final SettingsEnvironment environment;
    private @Nullable Found found;

    /**
     * The result of the search.
     *
     * @param database null if the application has no outbox
     * @param without the names of the data sources that were searched for one, if there is none
     */
    private record Found(@Nullable DataSource database, String name, TandemSettings settings, List<String> without) {}

    ApplicationOutbox(ConfigurableListableBeanFactory beans, SettingsEnvironment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /**
     * Returns whether tasks are submitted by the outbox.
     *
     * @throws StartException if that cannot be told, or the settings demand an outbox that is not there
     */
    boolean isUsed() {
        return find().database() != null;
    }

    /** Returns whether this application also publishes what was written. */
    boolean isRelayed() {
        return isUsed() && settings().relay();
    }

    OutboxSettings settings() {
        return find().settings().outbox();
    }

    /** Returns the name of the bean of the outbox's database. */
    String databaseName() {
        return find().name();
    }

    /** Returns the names of the data sources in which an outbox could be and is not. */
    List<String> databasesWithout() {
        return find().without();
    }

    private DataSource database() {
        DataSource database = find().database();
        if (database == null) {
            throw new IllegalStateException("The application has no outbox");
        }
        return database;
    }

    /** Returns a client that writes tasks into the outbox. */
    TaskClient client(JsonMapper json, List<SubmitInterceptor> interceptors, TransactionBoundary transactions) {
        TandemSettings settings = find().settings();
        List<SubmitInterceptor> all = new ArrayList<>(interceptors);
        all.add(new QueueCheck(settings.queues()));
        return Outbox.create()
                .withMapper(json)
                .withMaxPayload(Math.toIntExact(settings.maxPayload().toBytes()))
                .client(new SpringOutboxTransactions(database(), databaseName(), transactions), all);
    }

    /** Starts a relay. @param client publishes to the brokers */
    OutboxRelay relay(TaskClient client) {
        return OutboxRelay.start(database(), client, relaySettings());
    }

    /** Returns the settings of the relay. */
    RelaySettings relaySettings() {
        OutboxSettings settings = settings();
        RelaySettings.WhenRefused whenRefused = switch (settings.whenRefused()) {
            case HALT -> RelaySettings.WhenRefused.HALT;
            case SKIP -> RelaySettings.WhenRefused.SKIP;
        };
        return new RelaySettings(settings.lease(), settings.batch(), whenRefused, settings.grace());
    }

    /** Returns what waits. */
    OutboxBacklog backlog() throws SQLException {
        try (Connection connection = database().getConnection()) {
            return Outbox.backlog(connection);
        }
    }

    private synchronized Found find() {
        Found result = found;
        if (result == null) {
            result = search(SettingsLoader.loadForProgram(environment.get(), Map.of()));
            found = result;
        }
        return result;
    }

    private Found search(TandemSettings settings) {
        OutboxUse use = settings.outbox().enabled();
        if (use == OutboxUse.FALSE) {
            return new Found(null, "", settings, List.of());
        }
        Map<String, DataSource> candidates = candidates(settings.outbox().dataSource());
        Map<String, DataSource> with = new LinkedHashMap<>();
        candidates.forEach((name, database) -> {
            DataSource target = SpringOutboxTransactions.target(database);
            if (isInstalled(name, target, settings.outbox())) {
                with.put(name, target);
            }
        });
        if (with.size() > 1) {
            throw problem("There is an outbox in several data sources, " + String.join(", ", with.keySet())
                    + ": name the one to use with tandem.outbox.data-source");
        }
        if (with.isEmpty() && use == OutboxUse.TRUE) {
            throw problem("tandem.outbox.enabled is 'true', but "
                    + (candidates.isEmpty()
                            ? "the application has no DataSource: add one, or set it to false"
                            : "there is no table tandem_outbox in " + String.join(", ", candidates.keySet())
                                    + ": run the script that ./tandem outbox-sql prints, with your migrations for instance,"
                                    + " or set it to false"));
        }
        return with.entrySet().stream()
                .findFirst()
                .map(each -> new Found(each.getValue(), each.getKey(), settings, List.of()))
                .orElseGet(() -> new Found(null, "", settings, List.copyOf(candidates.keySet())));
    }

    /** Returns the data sources that may have the outbox, by the names of their beans. */
    private Map<String, DataSource> candidates(String wanted) {
        if (!wanted.isEmpty()) {
            try {
                return Map.of(wanted, beans.getBean(wanted, DataSource.class));
            } catch (NoSuchBeanDefinitionException e) {
                throw problem(
                        "tandem.outbox.data-source is '" + wanted + "', but there is no such DataSource: name one of "
                                + String.join(", ", beans.getBeanNamesForType(DataSource.class)));
            }
        }
        Map<String, DataSource> all = beans.getBeansOfType(DataSource.class);
        DataSource primary = beans.getBeanProvider(DataSource.class).getIfUnique();
        all.values().removeIf(each -> primary != null && each != primary);
        return all;
    }

    private static boolean isInstalled(String name, DataSource database, OutboxSettings settings) {
        OutboxUse use = settings.enabled();
        try (Connection connection = database.getConnection()) {
            if (use == OutboxUse.TRUE) {
                Outbox.script(connection); // refuses a database that the outbox does not know
            }
            boolean installed = Outbox.isInstalled(connection);
            if (installed) {
                requireRights(name, Outbox.missingRights(connection, settings.relay()));
            }
            return installed;
        } catch (SQLFeatureNotSupportedException e) {
            throw problem(e.getMessage() + ". Set tandem.outbox.enabled to false, or name another data source");
        } catch (SQLException e) {
            if (use == OutboxUse.TRUE) {
                return true; // the relay waits for the database, and submissions fail until it answers
            }
            throw problem("Tandem cannot tell whether the data source " + name + " has an outbox: " + e.getMessage()
                    + ". Start its database, or set tandem.outbox.enabled to true or false");
        }
    }

    private static void requireRights(String name, List<String> missing) {
        if (!missing.isEmpty()) {
            throw problem("The data source " + name + " has an outbox, but its user lacks rights: "
                    + String.join(", ", missing) + ". Grant them, or set tandem.outbox.relay or tandem.outbox.enabled"
                    + " to false");
        }
    }

    private static StartException problem(String text) {
        return StartException.ofSurroundings(text);
    }
}
