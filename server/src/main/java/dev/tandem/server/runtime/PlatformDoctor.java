package dev.tandem.server.runtime;

import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.Secrets;
import dev.tandem.scheduler.RedisExam;
import dev.tandem.server.archive.Archive;
import dev.tandem.server.doctor.ArchiveChecks;
import dev.tandem.server.doctor.Doctor;
import dev.tandem.server.doctor.KafkaChecks;
import dev.tandem.server.doctor.OwnerChecks;
import dev.tandem.server.doctor.RabbitChecks;
import dev.tandem.server.doctor.RedisChecks;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.inspect.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Examines what this server runs on. */
final class PlatformDoctor implements Doctor {

    private final Platform platform;
    private final OwnerWatch owners;
    private final Archive archive;

    PlatformDoctor(Platform platform, OwnerWatch owners, Archive archive) {
        this.platform = platform;
        this.archive = archive;
        this.owners = owners;
    }

    @Override
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(OwnerChecks.server(platform.executorId(), platform.problem()));
        Reachability redis = platform.redis();
        findings.addAll(RedisChecks.of(redisExams(), redis.reached() ? "" : redis.detail()));
        Set<SourceType> sources = platform.settings().queues().values().stream()
                .map(QueueSettings::effectiveSource)
                .collect(Collectors.toSet());
        if (sources.contains(SourceType.KAFKA)) {
            findings.addAll(KafkaChecks.of(new KafkaExam(platform.settings()).facts()));
        }
        if (sources.contains(SourceType.RABBIT)) {
            findings.addAll(RabbitChecks.of(new RabbitExam(platform.settings()).facts()));
        }
        findings.addAll(OwnerChecks.unowned(owners.unowned()));
        if (archive.enabled()) {
            Archive.Status status = archive.status();
            findings.addAll(ArchiveChecks.of(status.problem(), status.waiting(), status.lost()));
        }
        return List.copyOf(findings);
    }

    private List<RedisExam> redisExams() {
        try {
            return platform.redisExams();
        } catch (UnavailableException e) {
            return List.of(RedisExam.failed(
                    Secrets.masked(platform.settings().redis().uri()), String.valueOf(e.getMessage())));
        }
    }
}
