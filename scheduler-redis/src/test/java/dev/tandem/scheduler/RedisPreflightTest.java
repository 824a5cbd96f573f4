package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RedisPreflightTest {

    private final Map<String, String> info = new LinkedHashMap<>(Map.of(
            "redis_version", "7.0.15",
            "role", "master",
            "maxmemory_policy", "noeviction",
            "aof_enabled", "1",
            "cluster_enabled", "0"));
    private final Map<String, String> config = new HashMap<>();
    private RedisSettings settings = RedisSettings.of("redis://localhost");

    @Test
    void acceptsASuitableRedis() {
        assertThat(errors("everysec")).isEmpty();
        assertThat(errors("always")).isEmpty();
        info.put("redis_version", "6.2.0");
        assertThat(errors("everysec")).isEmpty();
        info.put("redis_version", "8");
        assertThat(check("everysec").warnings()).isEmpty();
    }

    @Test
    void refusesAnOldRedis() {
        info.put("redis_version", "6.0.20");
        assertThat(errors("everysec")).singleElement().asString().contains("6.0.20", "6.2 or later");
        info.put("redis_version", "unstable");
        assertThat(errors("everysec")).singleElement().asString().contains("unstable");
    }

    @Test
    void refusesARedisThatEvicts() {
        info.put("maxmemory_policy", "allkeys-lru");
        assertThat(errors("everysec")).singleElement().asString().contains("allkeys-lru", "noeviction");
    }

    @Test
    void refusesARedisWithoutAppendOnlyFileUnlessAllowed() {
        info.put("aof_enabled", "0");
        assertThat(errors("everysec"))
                .singleElement()
                .asString()
                .contains("appendonly is off", "appendonly yes", "tandem.redis.durability=none");
        settings = settings.withDurable(false);
        assertThat(errors("everysec")).isEmpty();
        assertThat(check("everysec").warnings()).isNotEmpty();
    }

    @Test
    void refusesARedisThatDoesNotSync() {
        assertThat(errors("no")).singleElement().asString().contains("appendfsync is no", "everysec");
    }

    @Test
    void warnsWhereConfigIsNotAllowed() {
        RedisPreflight.Report report = check(null);
        assertThat(report.errors()).isEmpty();
        assertThat(report.warnings()).singleElement().asString().contains("CONFIG");
    }

    @Test
    void refusesAReplicaAndAnUnexpectedClusterNode() {
        info.put("role", "slave");
        info.put("cluster_enabled", "1");
        assertThat(errors("everysec"))
                .hasSize(2)
                .anyMatch(error -> error.toString().contains("tandem.redis.cluster=true"));
        settings = RedisSettings.cluster(List.of("redis://a", "redis://b"));
        assertThat(errors("everysec")).singleElement().asString().contains("replica");
    }

    @Test
    void refusesARedisThatDoesNotSyncDuringARewrite() {
        config.put("no-appendfsync-on-rewrite", "yes");
        assertThat(errors("everysec"))
                .singleElement()
                .asString()
                .contains("no-appendfsync-on-rewrite is yes", "no-appendfsync-on-rewrite no");
        config.put("no-appendfsync-on-rewrite", "no");
        assertThat(errors("everysec")).isEmpty();
    }

    @Test
    void refusesToIgnoreReplicas() {
        info.put("slave0", "ip=10.0.0.2,port=6379,state=online,offset=42,lag=0");
        settings = settings.withReplicas(0);
        assertThat(errors("everysec"))
                .singleElement()
                .asString()
                .contains("tandem.redis.replicas is 0", "has 1 replicas", "tandem.redis.replicas=auto");
        settings = settings.withDurable(false);
        assertThat(errors("everysec")).isEmpty();
        info.remove("slave0");
        settings = RedisSettings.of("redis-sentinel://host#master").withReplicas(0);
        assertThat(errors("everysec")).singleElement().asString().contains("Sentinels promote replicas");
        settings = RedisSettings.of("redis-sentinel://host#master");
        assertThat(errors("everysec")).isEmpty();
    }

    @Test
    void warnsOfReplicasThatNeedNotConfirm() {
        info.put("slave0", "ip=10.0.0.2,port=6379,state=online,offset=42,lag=0");
        info.put("slave1", "ip=10.0.0.3,port=6379,state=online,offset=42,lag=0");
        settings = settings.withReplicas(1);
        assertThat(errors("everysec")).isEmpty();
        assertThat(check("everysec").warnings()).singleElement().asString().contains("is 1, but it has 2 replicas");
        settings = RedisSettings.of("redis://localhost");
        assertThat(check("everysec").warnings()).isEmpty();
    }

    @Test
    void asksForAPrimaryThatStopsWritingWhenItIsCutOff() {
        info.put("slave0", "ip=10.0.0.2,port=6379,state=online,offset=42,lag=0");
        config.put("min-replicas-to-write", "0");
        assertThat(check("everysec").warnings()).singleElement().asString().contains("min-replicas-to-write 1");
        config.put("min-replicas-to-write", "1");
        assertThat(check("everysec").warnings()).isEmpty();
    }

    @Test
    void countsOnlyReplicasThatCouldBePromoted() {
        info.put("slave0", "ip=10.0.0.2,port=6379,state=wait_bgsave,offset=0,lag=0");
        info.put("slave1", "ip=10.0.0.3,port=0,state=online,offset=0,lag=0");
        info.put("slave_repl_offset", "7");
        assertThat(Replication.of(info).replicas()).isZero();
    }

    @Test
    void remembersTheMostReplicasOfAProcess() {
        KnownReplicas known = new KnownReplicas();
        assertThat(known.note(new Replication("a", 2))).isEqualTo(2);
        assertThat(known.note(new Replication("a", 0))).isEqualTo(2);
        assertThat(known.note(new Replication("b", 0))).isZero();
    }

    @Test
    void refusesImpossibleSettingsByName() {
        assertThatThrownBy(() -> RedisSettings.cluster(List.of())).hasMessageContaining("tandem.redis.uri");
        assertThatThrownBy(() -> new RedisSettings(
                        List.of("a", "b"),
                        false,
                        "tandem",
                        Duration.ofSeconds(5),
                        OptionalInt.empty(),
                        Duration.ofSeconds(3),
                        true,
                        RedisSettings.DEFAULT_HEADROOM,
                        RedisAccess.OF_ADDRESS))
                .hasMessageContaining("tandem.redis.cluster=true");
        assertThatThrownBy(() -> settings.withAnswerTimeout(Duration.ZERO))
                .hasMessageContaining("tandem.redis.answer-timeout is PT0S");
        assertThatThrownBy(() -> settings.withReplicas(-1)).hasMessageContaining("tandem.redis.replicas is -1");
        assertThatThrownBy(() -> settings.withHorizon(Duration.ZERO).withReplicas(1))
                .hasMessageContaining("tandem.redis.horizon");
    }

    @Test
    void namesAnUnreadableAddressWithoutItsPassword() {
        assertThatThrownBy(() -> ConnectionOptions.uri(settings, "http://user:secret@host"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tandem.redis.uri")
                .hasMessageContaining("***@host")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    private List<Complaint> errors(@Nullable String fsync) {
        return check(fsync).errors();
    }

    private RedisPreflight.Report check(@Nullable String fsync) {
        String text = "# Server\r\n"
                + info.entrySet().stream()
                        .map(fact -> fact.getKey() + ":" + fact.getValue() + "\r\n")
                        .collect(Collectors.joining());
        Map<String, String> values = new HashMap<>(config);
        values.put("appendfsync", fsync);
        return RedisPreflight.check(settings, text, fsync == null ? Map.of() : values);
    }
}
