package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that run a program, on a real server. */
@EnabledOnOs(OS.LINUX)
@Execution(ExecutionMode.CONCURRENT)
class CommandIT {

    private final String queue = UniqueNames.fresh("commands");

    @TempDir
    private Path folder;

    @Test
    void tasksRunTheirProgramAndEndWithIt() throws IOException {
        try (RunningServer server = RunningServer.healthy(settings())) {
            submit(server, "good", "0");
            submit(server, "bad", "3");
            submit(server, "slow", "sleep");
            submit(server, "cancelled", "forever");

            assertThat(end(server, "good")).contains("succeeded", "code 0 of good");
            assertThat(end(server, "bad")).contains("dead", "exit code 3", "code 3 of bad");
            assertThat(end(server, "slow")).contains("dead", "timed out after 1500 ms");
            await().atMost(PATIENCE).until(() -> Files.exists(folder.resolve("out/cancelled")));
            assertThat(server.post(path("cancelled") + "/cancel").status()).isEqualTo(202);
            assertThat(end(server, "cancelled")).contains("cancelled");
            assertThat(server.get("/actuator/prometheus").body())
                    .contains("tandem_commands_seconds_count{outcome=\"succeeded\",queue=\"" + queue + "\"} 1");
        }
    }

    private Map<String, String> settings() throws IOException {
        allow(folder, "rwxr-xr-x");
        allow(Files.createDirectory(folder.resolve("out")), "rwxrwxrwx");
        Path program = Files.writeString(folder.resolve("program"), """
                #!/bin/sh
                touch "$2/$TANDEM_TASK_ID"
                case "$1" in
                  sleep|forever) sleep 60 ;;
                esac
                echo "code $1 of $TANDEM_TASK_ID"
                exit "$1"
                """);
        allow(program, "rwxr-xr-x");
        Map<String, String> settings = RunningServer.settings("kafka");
        settings.put("tandem.commands.show.program", program.toString());
        settings.put("tandem.commands.show.args[0]", "{/code}");
        settings.put("tandem.commands.show.args[1]", folder.resolve("out").toString());
        settings.put("tandem.commands.show.dead-on", "3");
        settings.put("tandem.commands.show.kill-after", "100ms");
        if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
            settings.put("tandem.commands.show.user", "65534:65534");
        }
        String at = "tandem.queues." + queue + ".";
        settings.put(at + "source", "kafka");
        settings.put(at + "partitions", "2");
        settings.put(at + "handler", "cmd");
        settings.put(at + "command", "show");
        settings.put(at + "timeout", "1500ms");
        settings.put(at + "timeout-limit", "1m");
        settings.put(at + "max-attempts", "1");
        settings.put(at + "dead-head", "skip");
        settings.put(at + "max-result-bytes", "1KB");
        return settings;
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private void submit(RunningServer server, String id, String code) {
        String timeout = code.equals("forever") ? ", \"timeout\": \"1m\"" : "";
        Answer answer = server.post(
                "/api/v1/queues/" + queue + "/tasks",
                "{\"id\": \"" + id + "\", \"key\": \"" + id + "\", \"payload\": {\"code\": \"" + code + "\"}" + timeout
                        + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private String path(String id) {
        return "/api/v1/queues/" + queue + "/tasks/" + id;
    }

    private String end(RunningServer server, String id) {
        return server.get(path(id) + "/end?timeout=20s").body();
    }
}
