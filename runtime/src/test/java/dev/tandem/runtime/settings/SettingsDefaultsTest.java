package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;

/**
 * Pins the names and defaults of all settings. A change here is visible to users and belongs into
 * docs/configuration.md.
 */
class SettingsDefaultsTest {

    private static final String PINNED = """
            kafka.bootstrap-servers = localhost:9092
            kafka.properties = {}
            rabbit.uri = amqp://guest:guest@localhost:5672
            rabbit.consumer-timeout = 30m
            rabbit.management-uri =
            rabbit.username =
            rabbit.password-file =
            rabbit.tls.ca-file =
            rabbit.tls.certificate-file =
            rabbit.tls.key-file =
            redis.uri = redis://localhost:6379
            redis.cluster = false
            redis.namespace = tandem
            redis.durability = horizon
            redis.horizon = 3s
            redis.replicas = auto
            redis.headroom = 0.1
            redis.answer-timeout = 5s
            redis.username =
            redis.password-file =
            redis.tls.ca-file =
            redis.tls.certificate-file =
            redis.tls.key-file =
            executor.enabled = true
            executor.id =
            executor.concurrency = 256
            executor.lease = 10s
            executor.drain-timeout = 25s
            executor.on-failure = exit
            executor.memory = null
            api.allowed-hosts = []
            api.body-timeout = 30s
            api.login = required
            api.token-file =
            api.open-metrics = false
            api.audit-max = 20000
            api.session-idle = 30m
            api.session-max = 12h
            api.oidc.roles-claim = groups
            api.oidc.roles.viewer = []
            api.oidc.roles.operator = []
            api.oidc.roles.admin = []
            api.proxy.addresses = []
            api.proxy.user-header = X-Forwarded-User
            api.proxy.groups-header = X-Forwarded-Groups
            api.proxy.roles.viewer = []
            api.proxy.roles.operator = []
            api.proxy.roles.admin = []
            api.idempotency.keep = 1d
            api.idempotency.max = 1000000
            api.payload-editors = admin
            http.connect-timeout = 10s
            http.connections-per-host = null
            http.keep-alive = 30s
            history.dead-age = 14d
            history.dead-max = 100000
            history.succeeded-age = 1d
            history.succeeded-max = 100000
            history.succeeded-bytes = 8MB
            statistics.enabled = true
            statistics.keep = 14d
            archive.url =
            archive.username =
            archive.password-file =
            archive.schema = tandem_archive
            archive.name = tandem-archive
            archive.keep = 30d
            archive.rabbit-max-bytes = 1024MB
            archive.search-timeout = 3s
            fan-outs.max-subtasks = 1000000
            fan-outs.max-depth = 5
            fan-outs.keep = 7d
            outbox.enabled = auto
            outbox.data-source =
            outbox.relay = true
            outbox.lease = 10s
            outbox.batch = 1000
            outbox.when-refused = halt
            outbox.grace = 10m
            max-payload = 1MB
            log-payloads = false
            log.keys = true
            log.mdc = true
            tracing.mode = link
            tracing.observations = auto
            demo.events =
            queues.*.source = null
            queues.*.topic = null
            queues.*.group = null
            queues.*.partitions = 16
            queues.*.ordering = null
            queues.*.concurrency = null
            queues.*.weight = null
            queues.*.precedence = 0
            queues.*.fair.by = null
            queues.*.fair.weights = {}
            queues.*.max-running = 0
            queues.*.timeout = null
            queues.*.timeout-limit = null
            queues.*.max-attempts = 8
            queues.*.max-attempts-limit = null
            queues.*.backoff.policy = exponential
            queues.*.backoff.initial = 1s
            queues.*.backoff.multiplier = 2
            queues.*.backoff.max = 1h
            queues.*.backoff.jitter = 0.2
            queues.*.ttl = null
            queues.*.unknown-type-grace = 10m
            queues.*.handlers-mismatch = refuse
            queues.*.max-checkpoint-bytes = 64KB
            queues.*.max-log-lines = 20
            queues.*.max-result-bytes = 0KB
            queues.*.dead-head = null
            queues.*.max-in-memory = 10000
            queues.*.max-in-memory-bytes = 64MB
            queues.*.max-parked = 100000
            queues.*.max-parked-per-key = null
            queues.*.max-in-redis = 1000000
            queues.*.max-in-redis-bytes = 1024MB
            queues.*.breaker.enabled = true
            queues.*.breaker.failures = 0.9
            queues.*.breaker.attempts = 100
            queues.*.breaker.window = 10s
            queues.*.max-blocked-keys = 100000
            queues.*.growth-window = 6m
            queues.*.dedup.mode = first
            queues.*.dedup.until = both
            queues.*.dedup.window = 10m
            queues.*.dedup.retention = 0s
            queues.*.dedup.release-on-failure = true
            queues.*.dedup.lost-after = 1d
            queues.*.dependencies.keep = 0s
            queues.*.dependencies.timeout = 1d
            queues.*.dependencies.policy = die
            queues.*.dependencies.unknown = wait
            queues.*.events.enabled = false
            queues.*.events.kinds = [succeeded, dead, expired, cancelled]
            queues.*.events.topic = null
            queues.*.events.exchange = null
            queues.*.events.max-bytes = 8MB
            queues.*.events.when-full = drop
            queues.*.handler = null
            queues.*.types = []
            queues.*.http.url = null
            queues.*.http.allow = []
            queues.*.http.dead-on = []
            queues.*.http.headers = {}
            queues.*.http.body = payload
            queues.*.http.answers = now
            queues.*.http.answer-timeout = 30s
            queues.*.http.signing-keys = []
            queues.*.http.ssl-bundle = null
            queues.*.pull.lease = 30s
            queues.*.mask = []
            queues.*.command = null
            queues.*.exchange = null
            queues.*.routing-key = null
            queues.*.queue = null
            queues.*.key = null
            queues.*.prefetch = null
            queues.*.max-priority = null
            schedules.*.enabled = true
            schedules.*.queue = null
            schedules.*.type = null
            schedules.*.key = null
            schedules.*.payload =
            schedules.*.cron = null
            schedules.*.zone = UTC
            schedules.*.every = null
            schedules.*.misfire = one
            schedules.*.misfire-after = 1m
            schedules.*.misfire-max = 100
            schedules.*.overlap = allow
            schedules.*.jitter = 0s
            limits.*.max-running = null
            limits.*.queues = []
            limits.*.types = []
            limits.*.keys = []
            rate-limits.*.rate = null
            rate-limits.*.burst = 1
            rate-limits.*.per = none
            rate-limits.*.queues = []
            rate-limits.*.types = []
            rate-limits.*.keys = []
            commands.*.program = null
            commands.*.args = []
            commands.*.allow-options = false
            commands.*.stdin = none
            commands.*.environment = {}
            commands.*.directory = /
            commands.*.user = null
            commands.*.memory = 1024MB
            commands.*.keep-output = 4KB
            commands.*.kill-after = 2s
            commands.*.dead-on = []
            commands.*.retry-on = []
            """;

    @Test
    void namesAndDefaultsDoNotChange() {
        StringBuilder actual = new StringBuilder();
        defaults()
                .forEach((name, value) ->
                        actual.append((name + " = " + value).strip()).append('\n'));

        assertThat(actual).hasToString(PINNED);
    }

    @Test
    void documentationListsAllSettingsWithTheirDefaults() throws IOException {
        Map<String, String> documented = documented();
        Map<String, String> actual = new LinkedHashMap<>();
        defaults()
                .forEach((name, value) -> actual.put(
                        "tandem."
                                + name.replace("schedules.*", "schedules.<id>").replace("*", "<name>"),
                        value));

        assertThat(documented.keySet()).containsExactlyInAnyOrderElementsOf(actual.keySet());
        actual.forEach((name, value) -> {
            if (!value.equals("null")) {
                String shown = value.isEmpty() || value.equals("[]") || value.equals("{}") ? "none" : "`" + value + "`";
                assertThat(documented.get(name)).as("the default of " + name).isEqualTo(shown);
            }
        });
    }

    private static Map<String, String> documented() throws IOException {
        Pattern row = Pattern.compile("\\| `(tandem\\.[^`]+)` \\| ([^|]+) \\|.*");
        Map<String, String> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
            Matcher matcher = row.matcher(line);
            if (matcher.matches()) {
                assertThat(found.put(matcher.group(1), matcher.group(2).strip()))
                        .as(matcher.group(1) + " has two rows")
                        .isNull();
            }
        }
        return found;
    }

    private static Map<String, String> defaults() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tandem.queues.x.source",
                                "kafka",
                                "tandem.schedules.y.queue",
                                "x",
                                "tandem.schedules.y.type",
                                "z",
                                "tandem.schedules.y.every",
                                "1h",
                                "tandem.limits.l.max-running",
                                "5",
                                "tandem.rate-limits.r.rate",
                                "5/s",
                                "tandem.commands.c.program",
                                "/usr/bin/convert")));
        TandemSettings settings = SettingsLoader.load(environment);
        Map<String, String> flat = new LinkedHashMap<>();
        Map<String, String> queues = new LinkedHashMap<>();
        flatten(settings, "", flat);
        flatten(settings.queues().get("x"), "queues.*.", queues);
        queues.put("queues.*.source", "null");
        flat.remove("queues");
        flat.putAll(queues);
        flat.remove("schedules");
        flatten(settings.schedules().get("y"), "schedules.*.", flat);
        flat.putAll(Map.of("schedules.*.queue", "null", "schedules.*.type", "null", "schedules.*.every", "null"));
        flat.remove("limits");
        flatten(settings.limits().get("l"), "limits.*.", flat);
        flat.put("limits.*.max-running", "null");
        flat.remove("rate-limits");
        flatten(settings.rateLimits().get("r"), "rate-limits.*.", flat);
        flat.put("rate-limits.*.rate", "null");
        flat.remove("commands");
        flatten(settings.commands().get("c"), "commands.*.", flat);
        flat.put("commands.*.program", "null");
        return flat;
    }

    private static void flatten(Record record, String prefix, Map<String, String> into) {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            String name = prefix + SettingNames.kebab(component.getName());
            Object value = value(record, component);
            if (value instanceof Record part) {
                flatten(part, name + ".", into);
            } else {
                into.put(name, text(value));
            }
        }
    }

    private static Object value(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(SettingsDefaultsTest::text).toList().toString();
        }
        if (value instanceof Duration duration) {
            return DurationText.of(duration);
        }
        if (value instanceof DataSize size) {
            return size.toMegabytes() > 0 ? size.toMegabytes() + "MB" : size.toKilobytes() + "KB";
        }
        if (value instanceof Double number && number % 1 == 0) {
            return Long.toString(number.longValue());
        }
        return value instanceof Enum<?> ? value.toString().toLowerCase(java.util.Locale.ROOT) : String.valueOf(value);
    }
}
