package dev.tandem.runtime.settings;

import dev.tandem.runtime.targets.AllowedTargets;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Checks the settings of queues whose tasks are posted. */
final class HttpSettingsCheck {

    /** Headers that the HTTP client, or the handler, sets itself. */
    private static final Set<String> RESERVED_HEADERS = Set.of(
            "host",
            "content-length",
            "connection",
            "expect",
            "upgrade",
            "transfer-encoding",
            "webhook-id",
            "webhook-timestamp",
            "webhook-signature");

    private final SettingProblems problems;

    HttpSettingsCheck(SettingProblems problems) {
        this.problems = problems;
    }

    void check(String prefix, QueueSettings queue) {
        HttpSettings http = queue.http();
        if (http.url() != null) {
            checkUrl(prefix, http.url(), http.allow());
        } else if (HostedTypes.HTTP.equals(queue.handler())) {
            problems.add(prefix + "http.url", null, prefix + "handler is http, so it must say where tasks are posted");
        } else if (!http.deadOn().isEmpty()
                || !http.headers().isEmpty()
                || !http.allow().isEmpty()
                || http.body() != HttpSettings.Body.PAYLOAD
                || http.answers() != HttpSettings.Answers.NOW
                || !http.signingKeys().isEmpty()) {
            problems.add(
                    prefix + "http.url",
                    null,
                    "the other settings under " + prefix + "http need it: set it or remove them");
        }
        checkSigningKeys(prefix, http.signingKeys());
        checkAnswers(prefix, queue);
        if (http.sslBundle() != null
                && (http.url() == null || !http.url().toLowerCase(Locale.ROOT).startsWith("https:"))) {
            problems.add(prefix + "http.ssl-bundle", http.sslBundle(), "it needs an http.url with https://");
        }
        for (int i = 0; i < http.deadOn().size(); i++) {
            int status = http.deadOn().get(i);
            if (status < 300 || status > 599) {
                problems.add(
                        prefix + "http.dead-on[" + i + "]",
                        Integer.toString(status),
                        "it must be an HTTP status of 300 to 599");
            }
        }
        http.headers().forEach((name, value) -> {
            if (!isAllowedHeader(name, value)) {
                problems.addHidden(
                        prefix + "http.headers." + name,
                        "the name must be that of an HTTP header that may be set, and the value must be one line");
            }
        });
    }

    private void checkAnswers(String prefix, QueueSettings queue) {
        HttpSettings http = queue.http();
        problems.checkRange(
                prefix + "http.answer-timeout", http.answerTimeout(), Duration.ofMillis(100), Duration.ofMinutes(10));
        if (http.answers() != HttpSettings.Answers.LATER || http.url() == null) {
            return;
        }
        String why = "http.answers is later, so ";
        if (!queue.isPosted()) {
            problems.add(
                    prefix + "http.answers", "later", "it needs " + prefix + "handler=http: set that, or leave it out");
            return;
        }
        if (!queue.types().isEmpty() && !queue.types().equals(List.of("*"))) {
            problems.add(
                    prefix + "types",
                    String.join(",", queue.types()),
                    why + "tasks of all types are posted: leave it out");
        }
        if (queue.weight() != null || queue.precedence() != 0) {
            String setting = queue.weight() != null ? "weight" : "precedence";
            Object value = queue.weight() != null ? queue.weight() : queue.precedence();
            problems.add(prefix + setting, value.toString(), why + "its tasks need no slots: leave it out");
        }
    }

    private void checkSigningKeys(String prefix, List<String> keys) {
        if (keys.size() > 2) {
            problems.addHidden(
                    prefix + "http.signing-keys",
                    "it must be at most two: the one that receivers have, and the one that follows it");
        }
        for (int i = 0; i < keys.size(); i++) {
            if (!keys.get(i).matches("(file:|env:).+")) {
                problems.addHidden(
                        prefix + "http.signing-keys[" + i + "]",
                        "it must be file: and the path of a file with the key, or env: and the name of a variable, never the"
                                + " key itself");
            }
        }
    }

    private void checkUrl(String prefix, String url, List<String> allow) {
        int before = problems.all().size();
        problems.checkUrl(prefix + "http.url", url);
        for (int i = 0; i < allow.size(); i++) {
            if (!AllowedTargets.isEntry(allow.get(i))) {
                problems.add(
                        prefix + "http.allow[" + i + "]",
                        allow.get(i),
                        "it must be a host, *.domain, either with or without :port, an address, or a range of addresses"
                                + " such as 10.0.0.0/8");
            }
        }
        if (problems.all().size() == before) {
            if (AllowedTargets.isUnclear(URI.create(url).getHost())) {
                problems.add(
                        prefix + "http.url", url, "its host must be a name, or an address as in 10.0.0.1 or [fd00::1]");
            }
            String refusal = AllowedTargets.refusalOf(URI.create(url), allow);
            if (refusal != null) {
                problems.add(prefix + "http.url", url, refusal + ": list it there, or name another host");
            }
        }
    }

    private static boolean isAllowedHeader(String name, String value) {
        return name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
                && !RESERVED_HEADERS.contains(name.toLowerCase(Locale.ROOT))
                && value.chars().noneMatch(c -> (c < 32 && c != '\t') || c == 127);
    }
}
