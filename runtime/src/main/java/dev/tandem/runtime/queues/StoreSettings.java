package dev.tandem.runtime.queues;

import dev.tandem.runtime.settings.ConnectionFiles;
import dev.tandem.runtime.settings.PemFiles;
import dev.tandem.runtime.settings.SecretFile;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.Durability;
import dev.tandem.runtime.settings.TandemSettings.HistorySettings;
import dev.tandem.scheduler.RedisAccess;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Opens the store that the settings describe. */
public final class StoreSettings {

    private StoreSettings() {}

    /**
     * Returns the store. Connects in the background, so Redis need not be there yet.
     *
     * @throws dev.tandem.runtime.settings.SettingsException if a file of its connections cannot be used
     */
    public static RedisStore open(TandemSettings settings) {
        ConnectionFiles.check(
                "tandem.redis",
                settings.redis().passwordFile(),
                settings.redis().tls());
        return RedisStore.open(
                redis(settings.redis()), retention(settings.history()), EventPublishers.policies(settings));
    }

    private static Retention retention(HistorySettings history) {
        return new Retention(
                history.deadAge(),
                history.deadMax(),
                history.succeededAge(),
                history.succeededMax(),
                history.succeededBytes().toBytes());
    }

    private static RedisSettings redis(TandemSettings.RedisSettings redis) {
        // The address of Sentinels is one URI that contains commas.
        List<String> uris = redis.uri().contains("-sentinel://")
                ? List.of(redis.uri())
                : Arrays.stream(redis.uri().split(",")).map(String::strip).toList();
        return new RedisSettings(
                uris,
                redis.cluster(),
                redis.namespace(),
                redis.answerTimeout(),
                redis.requiredReplicas(),
                redis.horizon(),
                redis.durability() == Durability.HORIZON,
                redis.headroom(),
                access(redis));
    }

    private static RedisAccess access(TandemSettings.RedisSettings redis) {
        PemFiles files = new PemFiles("tandem.redis.tls", redis.tls());
        String passwordFile = redis.passwordFile();
        return new RedisAccess(
                redis.username().isEmpty() ? null : redis.username(),
                passwordFile.isEmpty() ? null : () -> SecretFile.read("tandem.redis.password-file", passwordFile),
                redis.tls().caFile().isEmpty() ? null : () -> Objects.requireNonNull(files.trust()),
                redis.tls().certificateFile().isEmpty() ? null : () -> Objects.requireNonNull(files.keys()));
    }
}
