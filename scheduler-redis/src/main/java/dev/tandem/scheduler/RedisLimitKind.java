package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The kinds of limits in Redis: where their names and overrides are, and in which form. */
enum RedisLimitKind {
    PERMITS(
            RedisKeys::limits,
            RedisKeys::limitOverride,
            RedisKeys::limitChannel,
            LimitOverrides.MAX,
            LimitOverrides::ofPermits),
    RATE(
            RedisKeys::rates,
            RedisKeys::rateOverride,
            RedisKeys::rateChannel,
            LimitOverrides.INTERVAL,
            LimitOverrides::ofRate);

    private final Function<RedisKeys, byte[]> names;
    private final BiFunction<RedisKeys, String, byte[]> override;
    private final BiFunction<RedisKeys, String, String> channel;
    private final String number;
    private final Function<ReplyReader, @Nullable LimitOverride> reader;

    RedisLimitKind(
            Function<RedisKeys, byte[]> names,
            BiFunction<RedisKeys, String, byte[]> override,
            BiFunction<RedisKeys, String, String> channel,
            String number,
            Function<ReplyReader, @Nullable LimitOverride> reader) {
        this.names = names;
        this.override = override;
        this.channel = channel;
        this.number = number;
        this.reader = reader;
    }

    static RedisLimitKind of(LimitKind kind) {
        return switch (kind) {
            case PERMITS -> PERMITS;
            case RATE -> RATE;
        };
    }

    /** Returns the key of the names of all limits. */
    byte[] names(RedisKeys keys) {
        return names.apply(keys);
    }

    /** Returns the key of the override of a limit. */
    byte[] override(RedisKeys keys, String limit) {
        return override.apply(keys, limit);
    }

    /** Returns the channel that says that a limit has changed. */
    String channel(RedisKeys keys, String limit) {
        return channel.apply(keys, limit);
    }

    /** Returns a field that each override has, and nothing that a reset leaves. */
    byte[] number() {
        return bytes(number);
    }

    /** Reads fields and values of an override. Returns null if there is none. */
    @Nullable
    LimitOverride read(ReplyReader in) {
        return reader.apply(in);
    }
}
