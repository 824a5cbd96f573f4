package dev.tandem.server.api;

import dev.tandem.api.Durations;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.access.TokenText;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Lists, creates and revokes the tokens of the API. */
@RestController
@RequestMapping("/api/v1/tokens")
@Needs(Permission.ADMINISTER)
final class TokensController {

    private static final int MAX_SHOWN = 100;
    private static final Duration MAX_AGE = Duration.ofDays(3_650);

    record View(
            String id,
            String name,
            String role,
            @Nullable List<String> queues,
            Instant createdAt,
            String createdBy,
            @Nullable Instant expiresAt,
            @Nullable Boolean expired,
            @Nullable String token) {

        static View of(AccessToken kept, Instant now, @Nullable String token) {
            return new View(
                    kept.id(),
                    kept.name(),
                    kept.role().text(),
                    kept.queues().isEmpty() ? null : kept.queues(),
                    kept.createdAt(),
                    kept.createdBy(),
                    kept.expiresAt(),
                    kept.isValidAt(now) ? null : true,
                    token);
        }
    }

    record All(List<View> tokens) {}

    private final TokenAdministration tokens;
    private final TandemSettings settings;
    private final InstantSource clock;

    TokensController(TokenAdministration tokens, TandemSettings settings, InstantSource clock) {
        this.tokens = tokens;
        this.settings = settings;
        this.clock = clock;
    }

    @GetMapping
    All all() {
        Instant now = clock.instant();
        return new All(tokens.all().stream()
                .sorted(Comparator.comparing(AccessToken::createdAt).thenComparing(AccessToken::id))
                .map(token -> View.of(token, now, null))
                .toList());
    }

    @PostMapping
    @Needs(Permission.ADMINISTER)
    @ResponseStatus(HttpStatus.CREATED)
    View create(
            @RequestParam(required = false) @Nullable String name,
            @RequestParam(required = false) @Nullable String role,
            @RequestParam(required = false) @Nullable String queues,
            @RequestParam(required = false) @Nullable String expires,
            HttpServletRequest request) {
        Caller creator = Callers.of(request);
        TokenText text = TokenText.fresh();
        Instant now = clock.instant();
        Role given = role(role);
        AccessToken token = new AccessToken(
                text.id(),
                name(name),
                given,
                queues(given, queues),
                text.hash(),
                now,
                creator == null ? "" : creator.name(),
                expires == null ? null : now.plus(age(expires)));
        if (!tokens.create(token)) {
            throw ProblemType.TOO_MANY.refusal(
                    "There are " + TokenAdministration.MOST + " tokens, the most there may be",
                    "Revoke tokens that nobody uses: ./tandem tokens list");
        }
        return View.of(token, now, text.text());
    }

    @DeleteMapping("/{token}")
    @Needs(Permission.ADMINISTER)
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed revoke(@PathVariable String token) {
        return switch (tokens.revoke(token)) {
            case REMOVED -> new Views.Changed(1);
            case UNKNOWN ->
                throw ProblemType.UNKNOWN_TOKEN.refusal(
                        "There is no token '" + LogText.oneLine(token, MAX_SHOWN) + "'",
                        "Name the ID of a token: ./tandem tokens list");
            case LAST_ADMIN ->
                throw ProblemType.LAST_ADMIN.refusal(
                        "This is the only token of an admin that never expires",
                        "Create another one first: ./tandem tokens create NAME --role admin");
        };
    }

    private static String name(@Nullable String name) {
        if (name == null || name.isBlank() || name.length() > AccessToken.MAX_NAME || !isPlain(name)) {
            throw ApiException.parameter(
                    "name",
                    "The parameter name is " + (name == null ? "missing" : "not allowed"),
                    "Say whose token it is, in 1 to " + AccessToken.MAX_NAME + " printable characters");
        }
        return name.strip();
    }

    /** Whether a text looks the same in a log: it has neither line breaks nor characters that turn the others around. */
    private static boolean isPlain(String text) {
        return LogText.oneLine(text, AccessToken.MAX_NAME).equals(text)
                && text.codePoints().noneMatch(each -> Character.getType(each) == Character.FORMAT);
    }

    private static Role role(@Nullable String role) {
        String remedy = "Use one of "
                + String.join(", ", Stream.of(Role.values()).map(Role::text).toList());
        if (role == null) {
            throw ApiException.parameter("role", "The parameter role is missing", remedy);
        }
        return Role.of(role)
                .orElseThrow(() -> ApiException.parameter(
                        "role", "There is no role '" + LogText.oneLine(role, MAX_SHOWN) + "'", remedy));
    }

    private List<String> queues(Role role, @Nullable String queues) {
        if (queues == null || queues.isEmpty()) {
            return List.of();
        }
        if (!role.isOfQueues()) {
            throw ApiException.parameter(
                    "queues",
                    "The role " + role.text() + " is for all queues",
                    "Leave the parameter queues out, or use the role publisher or worker");
        }
        List<String> names =
                Stream.of(queues.split(",", -1)).map(String::strip).distinct().toList();
        if (names.size() > AccessToken.MAX_QUEUES) {
            throw ApiException.parameter(
                    "queues",
                    "The token is for " + names.size() + " queues, more than " + AccessToken.MAX_QUEUES,
                    "Leave the parameter queues out, for all queues");
        }
        names.stream()
                .filter(name -> !settings.queues().containsKey(name))
                .findFirst()
                .ifPresent(unknown -> {
                    throw ApiException.parameter(
                            "queues",
                            "There is no queue '" + LogText.oneLine(unknown, MAX_SHOWN)
                                    + "' in the settings of this server",
                            "The queues are "
                                    + String.join(", ", settings.queues().keySet()));
                });
        return names;
    }

    private static Duration age(String text) {
        String remedy = "Use 1m to " + MAX_AGE.toDays() + "d, for instance expires=90d, or leave it out";
        Duration age;
        try {
            age = Durations.parse("expires", text);
        } catch (InvalidTaskException e) {
            throw ApiException.parameter("expires", String.valueOf(e.getMessage()), remedy);
        }
        if (age.compareTo(Duration.ofMinutes(1)) < 0 || age.compareTo(MAX_AGE) > 0) {
            throw ApiException.parameter(
                    "expires", "The parameter expires is '" + LogText.oneLine(text, MAX_SHOWN) + "'", remedy);
        }
        return age;
    }
}
