package dev.tandem.server.console;

import dev.tandem.server.api.LimitReader;
import dev.tandem.server.api.RateViews;
import org.jspecify.annotations.Nullable;

/**
 * The number of a limit on a page, and the requests by which the page changes it. They change only a limit that still is as the page
 * shows it, and the requests that take them back only one that has not been changed since.
 *
 * @param limit the name
 * @param isRate whether it is a rate limit
 * @param inForce the number for people
 * @param burst of a rate limit; 0 of another one
 * @param override who has set the number; null if it is that of the settings
 * @param from what it was changed from and by whom; empty if it was not changed
 * @param current the body that sets what is in force now
 * @param confirm the question before another number is set
 * @param done what is said behind that
 * @param confirmReset the question before the settings hold again
 */
record LimitChange(
        String limit,
        boolean isRate,
        String inForce,
        int burst,
        LimitReader.@Nullable Overridden override,
        String from,
        String current,
        String confirm,
        String done,
        String confirmReset) {

    /** The place of the revision in addresses of requests that take a change back. The answer to the change has it. */
    private static final String OF_CHANGE = "{revision}";

    private static final String UNKNOWN = "–";

    static LimitChange of(View view, LimitReader.Limit limit) {
        String name = limit.name();
        String max = number(view, limit.max());
        String configured = number(view, limit.configured());
        LimitReader.Overridden override = limit.override();
        return new LimitChange(
                name,
                false,
                max,
                0,
                override,
                override == null ? "" : view.t("limits.changed", configured, override.by()),
                "{\"maxRunning\":" + limit.max() + "}",
                view.t("limits.set-confirm", name, "{maxRunning}", max, view.number(limit.running())),
                view.t("limits.set-done", name, "{maxRunning}"),
                view.t("limits.reset-confirm", name, configured, max));
    }

    static LimitChange of(View view, RateViews.RateLimit limit) {
        String name = limit.name();
        String now = limit.rate();
        String nowBurst = view.number(limit.burst());
        RateViews.Numbers configured = limit.configured();
        String rate = configured == null ? UNKNOWN : configured.rate();
        String burst = configured == null ? UNKNOWN : view.number(configured.burst());
        LimitReader.Overridden override = limit.override();
        return new LimitChange(
                name,
                true,
                now,
                limit.burst(),
                override,
                override == null ? "" : view.t("limits.changed-rate", rate, burst, override.by()),
                "{\"intervalMicros\":" + limit.intervalMicros() + ",\"burst\":" + limit.burst() + "}",
                view.t("limits.rate-confirm", name, "{rate}", "{burst}", now, nowBurst),
                view.t("limits.rate-done", name, "{rate}", "{burst}"),
                view.t("limits.reset-rate-confirm", name, rate, burst, now, nowBurst));
    }

    private static String number(View view, int number) {
        return number == 0 ? UNKNOWN : view.number(number);
    }

    private String revision() {
        return LimitReader.Overridden.revision(override);
    }

    private String set(String revision) {
        return "/api/v1/limits/" + Links.part(limit) + "/override?revision=" + revision;
    }

    private String reset(String revision) {
        return "/api/v1/limits/" + Links.part(limit) + "/override?of=" + (isRate ? "rate" : "running") + "&revision="
                + revision;
    }

    /** Returns the address of the request that sets a number. */
    String url() {
        return set(revision());
    }

    /** Returns the address of the request that lets the settings hold again. */
    String resetUrl() {
        return reset(revision());
    }

    /** Returns the address of the request that brings back what is in force now, after another number was set. */
    String undoUrl() {
        return override == null ? reset(OF_CHANGE) : set(OF_CHANGE);
    }

    /** Returns the method of that request. */
    String undoMethod() {
        return override == null ? "DELETE" : "PUT";
    }

    /** Returns the body of that request; empty if it has none. */
    String undoBody() {
        return override == null ? "" : current;
    }

    /** Returns the address of the request that brings back what is in force now, after the settings hold again. */
    String undoResetUrl() {
        return set(OF_CHANGE);
    }
}
