package dev.tandem.benchmarks;

import dev.tandem.benchmarks.ScaleFill.Load;
import dev.tandem.kit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A server with the console, at a queue with very many tasks in Redis that nobody runs. Used by one thread. */
final class ScaledConsole implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** The records of a partition of the log: more than a timeline reads. */
    private static final int LOGGED = 12_000;

    private static final String SCHEDULE = """
            {"queue": "%s", "type": "report", "cron": "0 30 2 * * *", "zone": "Europe/Berlin", "overlap": "skip"}
            """;

    private final ScenarioContext context;
    private final int partitions;
    private final ScaleFill fill;
    private final KafkaTopic topic;
    private final RedisMeter meter;
    private final @Nullable ScaleArchive archive;
    private final BenchServer server;
    private final ConsoleVisits visits;
    private Load load = Load.NOTHING;

    private ScaledConsole(ScenarioContext context, Path folder, Load first, int archived) throws Exception {
        this.context = context;
        partitions = context.sizes().partitions();
        String queue = context.uniqueName("console");
        String redis = context.brokers().redis();
        topic = new KafkaTopic(context.brokers().kafka(), queue, partitions);
        meter = new RedisMeter(redis);
        fill = new ScaleFill(redis, queue, partitions);
        topic.fill(KeyDistribution.DISTINCT, LOGGED * partitions);
        context.say("Fills %d partitions of the topic %s", topic.partitions(), topic.name());
        fill.begin();
        fill(first);
        archive = archived == 0 ? null : ScaleArchive.startIfInstalled();
        Path tokenFile = folder.resolve("token");
        server = BenchServer.start(settings(queue, folder, tokenFile), true, "required");
        try {
            server.await("/actuator/health/readiness");
            Await.until(PATIENCE, () -> Files.exists(tokenFile), () -> "The server has written no token");
            String admin = Files.readString(tokenFile).strip();
            BenchApi api = new BenchApi(server.url(), admin);
            api.put("schedules/nightly", SCHEDULE.formatted(queue));
            api.post("queues/" + queue + "/operations?action=retry&dry-run=true&state=retry&partition=0");
            if (archive != null) {
                archive.fill(queue, archived);
            }
            visits = new ConsoleVisits(context, meter, queue, server.url(), admin, api.newToken("viewer"));
            visits.check(load, partitions);
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Fills the queue, and starts the server.
     *
     * @param folder for its settings
     * @param first what the queue has
     * @param archived how many ends its archive has, if PostgreSQL is installed; 0 for no archive
     */
    static ScaledConsole start(ScenarioContext context, Path folder, Load first, int archived) throws Exception {
        return new ScaledConsole(context, folder, first, archived);
    }

    private Path settings(String queue, Path folder, Path tokenFile) throws Exception {
        return Files.writeString(folder.resolve("tandem.yml"), """
                tandem:
                  kafka: { bootstrap-servers: "%s" }
                  redis: { uri: "%s" }
                  api: { token-file: "%s" }
                  executor: { enabled: false }
                  history: { dead-max: 100000000 }
                  limits: { carriers: { max-running: 20, queues: ["%s"] } }
                  rate-limits: { mails: { rate: 100/s, per: key, queues: ["%s"] } }
                  %s
                  queues:
                    %s: { source: kafka, events: { enabled: %s } }
                """.formatted(
                        context.brokers().kafka(),
                        context.brokers().redis(),
                        tokenFile,
                        queue,
                        queue,
                        archive == null ? "" : "archive: { url: \"%s\" }".formatted(archive.address()),
                        queue,
                        archive != null));
    }

    /** Lets the queue have more. @throws IllegalStateException if the server does not show it */
    void grow(Load more) throws Exception {
        fill(more);
        visits.check(load, partitions);
    }

    private void fill(Load more) throws InterruptedException {
        fill.grow(context, load, more);
        load = more;
    }

    ConsoleVisits visits() {
        return visits;
    }

    double usedMemoryGib() {
        return meter.usedMemoryGib();
    }

    @Override
    public void close() {
        server.close();
        if (archive != null) {
            archive.close();
        }
        meter.close();
        topic.close();
    }
}
