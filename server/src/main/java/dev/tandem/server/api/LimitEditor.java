package dev.tandem.server.api;

import dev.tandem.executor.TaskLimit;
import dev.tandem.executor.TaskRate;
import dev.tandem.runtime.settings.RateText;
import dev.tandem.server.inspect.LimitAdministration;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sets the numbers of limits in place of the settings, or lets these hold again. Thread-safe. */
final class LimitEditor {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final Sentence REMEDY = Sentence.of("remedy.limit");

    /** The longest time for a token of a rate limit, as in the settings: 30 days. */
    private static final long LONGEST_INTERVAL = 30 * 86_400_000_000L;

    /** The longest time in which a bucket may fill: Redis keeps it for so long. */
    private static final long LONGEST_REFILL_MICROS = Duration.ofDays(365).toMillis() * 1_000;

    /** How often a rate is set whose burst is to stay, while others change the limit. */
    private static final int MOST_TRIES = 5;

    private static final int MAX_SHOWN = 60;

    private static final Pattern REVISION = Pattern.compile(LimitOverride.NO_REVISION + "|[0-9]{1,20}");

    private final LimitReader reader;
    private final LimitAdministration administration;

    LimitEditor(LimitReader reader, LimitAdministration administration) {
        this.reader = reader;
        this.administration = administration;
    }

    /**
     * The numbers that somebody wants: one of {@code maxRunning} and {@code intervalMicros}.
     *
     * @param burst null to leave it as it is
     */
    record Wanted(
            @Nullable Integer maxRunning,
            @Nullable Long intervalMicros,
            @Nullable Integer burst) {

        private static final List<String> NAMES = List.of("maxRunning", "rate", "intervalMicros", "burst");

        /** Reads a body. @throws ApiException if it has no such numbers, or some that settings may not have */
        static Wanted read(byte[] body) {
            JsonNode node;
            try {
                node = JSON.readTree(body);
            } catch (JacksonException e) {
                throw ProblemType.INVALID_BODY.refusal(
                        Sentence.of("problem.limit-body", LogText.oneLine(e.getOriginalMessage(), 200)), REMEDY);
            }
            if (!node.isObject()) {
                throw wrong("", Sentence.of("problem.limit-form"), REMEDY);
            }
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                if (!NAMES.contains(field.getKey())) {
                    throw wrong(
                            "/" + ApiException.escaped(field.getKey()),
                            Sentence.of("problem.limit-field", LogText.oneLine(field.getKey(), MAX_SHOWN)),
                            Sentence.of("remedy.use", String.join(", ", NAMES)));
                }
            }
            Long max = number(node, "maxRunning", TaskLimit.MOST);
            Long burst = number(node, "burst", TaskRate.MOST);
            Long interval = number(node, "intervalMicros", LONGEST_INTERVAL);
            if (node.hasNonNull("rate")) {
                if (interval != null) {
                    throw wrong(
                            "/intervalMicros",
                            Sentence.of("problem.limit-two-rates"),
                            Sentence.of("remedy.limit-one-rate"));
                }
                interval = interval(node.path("rate"));
            }
            if ((max == null) == (interval == null) || max != null && burst != null) {
                throw wrong("", Sentence.of("problem.limit-form"), REMEDY);
            }
            return new Wanted(max == null ? null : max.intValue(), interval, burst == null ? null : burst.intValue());
        }

        /** Returns what the audit log says while it is not known whether it was done. */
        String summary() {
            return maxRunning != null
                    ? "at most " + maxRunning
                    : "rate " + RateViews.rate(intervalMicros == null ? 0 : intervalMicros)
                            + (burst == null ? "" : " burst " + burst);
        }

        private static @Nullable Long number(JsonNode node, String name, long most) {
            JsonNode value = node.path(name);
            if (value.isMissingNode() || value.isNull()) {
                return null;
            }
            if (!value.canConvertToLong() || !value.isIntegralNumber() || value.asLong() < 1 || value.asLong() > most) {
                throw wrong(
                        "/" + name,
                        Sentence.of("problem.limit-number", name, LogText.oneLine(value.toString(), MAX_SHOWN)),
                        Sentence.of("remedy.limit-number", String.valueOf(most)));
            }
            return value.asLong();
        }

        private static long interval(JsonNode rate) {
            try {
                return RateText.intervalMicros(rate.isString() ? rate.asString() : "");
            } catch (IllegalArgumentException e) {
                throw wrong(
                        "/rate",
                        Sentence.of("problem.limit-number", "rate", LogText.oneLine(rate.toString(), MAX_SHOWN)),
                        Sentence.of("remedy.limit-rate"));
            }
        }

        private static ApiException wrong(String pointer, Sentence detail, Sentence remedy) {
            return ApiException.field(ProblemType.INVALID_BODY, pointer, detail, remedy);
        }
    }

    /**
     * Sets the numbers of a limit.
     *
     * @param by who asks for it
     * @param seen the revision that the caller has seen; null to change the limit whatever it has
     * @throws ApiException if there is no such limit, or it has another revision by now
     */
    ChangedLimit set(String limit, Wanted wanted, String by, @Nullable String seen) {
        LimitReader.Named known = reader.one(limit);
        check(seen);
        return wanted.maxRunning() == null
                ? setRate(known, wanted, by, seen)
                : setMax(known, LimitRequest.set(new LimitRequest.Permits(wanted.maxRunning()), by, seen));
    }

    private ChangedLimit setMax(LimitReader.Named known, LimitRequest request) {
        if (known.max() == null) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/maxRunning",
                    Sentence.of("problem.limit-of-rate", known.name()),
                    Sentence.of("remedy.limit-rate-only"));
        }
        return new ChangedLimit(known.name(), permits(known, request), null);
    }

    private ChangedLimit setRate(LimitReader.Named found, Wanted wanted, String by, @Nullable String seen) {
        LimitReader.Named known = found;
        for (int tries = 1; ; tries++) {
            RateViews.RateLimit rate = rateOf(known);
            // Another operator may change the burst that is kept, between the time it is read and the time it is set.
            boolean mustKeep = wanted.burst() == null && seen == null;
            LimitRequest request = LimitRequest.set(
                    numbers(rate, wanted), by, mustKeep ? LimitReader.Overridden.revision(rate.override()) : seen);
            LimitRequest.Answer answer = administration.change(known.name(), request);
            if (answer.done() || !mustKeep || tries == MOST_TRIES) {
                return new ChangedLimit(known.name(), null, changed(known.name(), rate, request, answer));
            }
            known = reader.one(known.name());
        }
    }

    /** @throws ApiException if there is no such rate limit */
    private static RateViews.RateLimit rateOf(LimitReader.Named known) {
        RateViews.RateLimit rate = known.rateLimit();
        if (rate == null) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/rate",
                    Sentence.of("problem.limit-at-once", known.name()),
                    Sentence.of("remedy.limit-max"));
        }
        return rate;
    }

    /** @throws ApiException if the rate limit may not have these numbers */
    private static LimitRequest.Rate numbers(RateViews.RateLimit rate, Wanted wanted) {
        long interval = Objects.requireNonNull(wanted.intervalMicros());
        int burst = wanted.burst() == null ? rate.burst() : wanted.burst();
        if (interval > LONGEST_REFILL_MICROS / burst) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/burst",
                    Sentence.of("problem.limit-burst", String.valueOf(burst), RateViews.rate(interval)),
                    Sentence.of("remedy.limit-burst"));
        }
        return new LimitRequest.Rate(interval, burst);
    }

    /** Changes the limit of tasks at once that has this name. */
    private ChangedLimit.OfPermits permits(LimitReader.Named known, LimitRequest request) {
        LimitRequest.Answer answer = administration.change(known.name(), request);
        Integer configured = known.configured() == null || known.configured() == 0 ? null : known.configured();
        Integer before =
                answer.before() instanceof LimitOverride.OfPermits found ? Integer.valueOf(found.max()) : configured;
        if (!answer.done()) {
            throw refusal(
                    known.name(), before == null ? null : Sentence.of("limit.at-most", String.valueOf(before)), answer);
        }
        return new ChangedLimit.OfPermits(
                request.numbers() instanceof LimitRequest.Permits wanted ? Integer.valueOf(wanted.max()) : configured,
                before,
                known.running() == null ? 0 : known.running(),
                answer.revision());
    }

    /** Returns the answer to a change of a rate limit. @throws ApiException if it was not made */
    private static ChangedLimit.OfRate changed(
            String limit, RateViews.RateLimit rate, LimitRequest request, LimitRequest.Answer answer) {
        RateViews.Numbers before =
                answer.before() instanceof LimitOverride.OfRate found ? RateViews.Numbers.of(found) : rate.configured();
        if (!answer.done()) {
            throw refusal(
                    limit,
                    before == null ? null : Sentence.of("limit.rate", before.rate(), String.valueOf(before.burst())),
                    answer);
        }
        RateViews.Numbers after = request.numbers() instanceof LimitRequest.Rate wanted
                ? RateViews.Numbers.of(wanted)
                : rate.configured();
        return new ChangedLimit.OfRate(
                after == null ? null : after.rate(),
                after == null ? null : after.burst(),
                before == null ? null : before.rate(),
                before == null ? null : before.burst(),
                answer.revision());
    }

    /** Refuses a change of a limit that somebody else has changed meanwhile. @param now what is in force; null if that is not known */
    private static ApiException refusal(String limit, @Nullable Sentence now, LimitRequest.Answer answer) {
        LimitOverride override = answer.before();
        Sentence current = now == null
                ? Sentence.of("limit.as-settings")
                : override == null
                        ? Sentence.of("limit.by-settings", now)
                        : Sentence.of("limit.set-by", now, override.by());
        return ProblemType.LIMIT_CHANGED.refusal(
                Sentence.of("problem.limit-changed", limit, current), Sentence.of("remedy.limit-changed"));
    }

    /** @throws ApiException if this cannot be a revision */
    private static void check(@Nullable String seen) {
        if (seen != null && !REVISION.matcher(seen).matches()) {
            throw ApiException.parameter(
                    "revision",
                    Sentence.of("problem.parameter", "revision", LogText.oneLine(seen, MAX_SHOWN)),
                    Sentence.of("remedy.limit-revision", LimitOverride.NO_REVISION));
        }
    }

    /** The limits of one name that are reset. */
    enum Of {
        RUNNING,
        RATE,
        BOTH;

        /** Returns the one that a parameter names; {@link #BOTH} for null. @throws ApiException if it names none */
        static Of named(@Nullable String name) {
            if (name == null) {
                return BOTH;
            }
            return switch (name) {
                case "running" -> RUNNING;
                case "rate" -> RATE;
                default ->
                    throw ApiException.parameter(
                            "of",
                            Sentence.of("problem.parameter", "of", LogText.oneLine(name, MAX_SHOWN)),
                            Sentence.of("remedy.use-or-leave-out", "running, rate"));
            };
        }
    }

    /**
     * Lets the settings hold again.
     *
     * @param seen the revision that the caller has seen; null to reset the limit whatever it has
     * @throws ApiException if there is no such limit, it has another revision by now, or two limits have the name and one revision
     *     is given
     */
    ChangedLimit reset(String limit, Of of, @Nullable String seen) {
        LimitReader.Named known = reader.one(limit);
        check(seen);
        RateViews.RateLimit rate = of == Of.RUNNING ? null : known.rateLimit();
        boolean hasPermits = of != Of.RATE && known.max() != null;
        if (rate == null && !hasPermits) {
            throw ProblemType.UNKNOWN_LIMIT.refusal(
                    Sentence.of("problem.no-limit", limit), Sentence.of("remedy.limits"));
        }
        if (rate != null && hasPermits && seen != null) {
            throw ApiException.parameter(
                    "revision", Sentence.of("problem.limit-of-two", limit), Sentence.of("remedy.limit-of-two"));
        }
        return new ChangedLimit(
                limit,
                hasPermits ? permits(known, LimitRequest.reset(LimitKind.PERMITS, seen)) : null,
                rate == null ? null : reset(limit, rate, seen));
    }

    private ChangedLimit.OfRate reset(String limit, RateViews.RateLimit rate, @Nullable String seen) {
        LimitRequest request = LimitRequest.reset(LimitKind.RATE, seen);
        return changed(limit, rate, request, administration.change(limit, request));
    }
}
