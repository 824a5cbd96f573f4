package dev.tandem.server.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Result;
import dev.tandem.runtime.settings.CommandSettings;
import dev.tandem.runtime.settings.SettingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class ProgramHandlerTest {

    private static final String SHOW = "#!/bin/sh\nfor each in \"$@\"; do printf '[%s]' \"$each\"; done\n";

    @TempDir
    private Path folder;

    private TestProgram command;

    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        command = new TestProgram(folder);
    }

    @AfterEach
    void close() {
        command.close();
    }

    /** Whatever is in a value: nothing reads it but the program. */
    @Test
    void aValueOfThePayloadIsOneArgument() throws Exception {
        command.script(SHOW)
                .set("args[0]", "--out={/to}")
                .set("args[1]", "{/from}")
                .set("args[2]", "{{{/n}}}");
        ProgramTask task = new ProgramTask(
                "{\"from\": \"a b;touch pwned $(id) `id` * > x | y\\n'\\\"\", \"to\": \"-x y\", \"n\": 1.50}");

        assertThat(command.handler().handle(task)).isEqualTo(Result.done());
        assertThat(task.result()).isEqualTo("[--out=-x y][a b;touch pwned $(id) `id` * > x | y\n'\"][{1.50}]");
        assertThat(folder).isDirectoryNotContaining("glob:**pwned");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"from\": \"-rf\"}",
                "{\"from\": null}",
                "{\"from\": [\"a\"]}",
                "{\"from\": \"a\\u0000b\"}",
                "{\"from\": \"a\\ud800\"}",
                "{\"other\": 1}",
                "-3",
                "",
                "{\"from\": \"a\"",
                "{\"from\": \"a\"} 1"
            })
    void aPayloadThatDoesNotFitIsDeadAndNothingRuns(String payload) throws Exception {
        command.script("#!/bin/sh\ntouch '" + folder + "/ran'\n").set("args[0]", "{/from}");

        assertThat(command.handler().handle(new ProgramTask(payload))).isInstanceOf(Result.Dead.class);
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void aValueMayBeAnOptionIfTheSettingsSaySo() throws Exception {
        command.script(SHOW).set("args[0]", "{/from}").set("allow-options", "true");
        ProgramTask task = new ProgramTask("{\"from\": \"-v\"}");

        command.handler().handle(task);
        assertThat(task.result()).isEqualTo("[-v]");
    }

    @Test
    void theEnvironmentIsCleanAndThePayloadIsOnStdin() throws Exception {
        command.script("#!/bin/sh\nenv | cut -d= -f1 | sort | tr '\\n' ' '; pwd; cat\n")
                .set("stdin", "payload")
                .set("environment.COLOR", "blue")
                .set("directory", "/usr");
        ProgramTask task = new ProgramTask("the payload");

        command.handler().handle(task);

        assertThat(task.result())
                .isEqualTo(
                        "COLOR LANG PATH PWD TANDEM_ATTEMPT TANDEM_FENCING_TOKEN TANDEM_QUEUE TANDEM_RUN TANDEM_TASK_ID"
                                + " TANDEM_TASK_KEY TANDEM_TASK_TYPE /usr\nthe payload");
    }

    @ParameterizedTest
    @CsvSource({
        "exit 3, , , failed",
        "exit 3, 3, , dead",
        "exit 4, 3, , failed",
        "exit 3, , 75, dead",
        "exit 75, , 75, failed",
        "kill -9 $$, , 75, failed"
    })
    void theExitCodeIsTheOutcome(String line, String deadOn, String retryOn, String outcome) throws Exception {
        command.script("#!/bin/sh\necho no; echo \"it is \033[31mbroken\" >&2; " + line + "\n")
                .set("dead-on", deadOn)
                .set("retry-on", retryOn);
        String reason =
                (line.startsWith("kill") ? "signal 9" : line.replace("exit", "exit code")) + "\nit is ?[31mbroken";

        if (outcome.equals("dead")) {
            assertThat(command.handler().handle(new ProgramTask("{}"))).isEqualTo(Result.dead(reason));
        } else {
            assertThatThrownBy(() -> command.handler().handle(new ProgramTask("{}")))
                    .hasToString(reason);
        }
    }

    @Test
    void onlyTheEndOfTheOutputIsKept() throws Exception {
        command.script("#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' x; echo ä-the-end\n")
                .set("keep-output", "1KB");
        ProgramTask task = new ProgramTask("{}");

        command.handler().handle(task);

        assertThat(task.result()).endsWith("xxxä-the-end");
        assertThat(task.result().getBytes(StandardCharsets.UTF_8)).hasSizeBetween(1_000, 1_024);
    }

    /** One that ignores what asks it to end, one that has left the session, and a child of each. */
    @Test
    void aProgramThatIsInterruptedEndsWithAllThatItHasStarted() throws Exception {
        String sleep = "sleep " + (100_000 + ThreadLocalRandom.current().nextInt(900_000));
        command.script("#!/bin/sh\ntrap '' TERM\n" + sleep + " &\n(setsid sh -c '" + sleep + " & " + sleep
                        + "' &)\ntouch '" + folder + "/up'\nwait; sleep 1; " + sleep + "\n")
                .set("kill-after", "100ms")
                .openTo(folder);
        Throwable[] thrown = new Throwable[1];
        ProgramHandler handler = command.handler();
        Thread worker = new Thread(() -> thrown[0] = catchThrowable(() -> handler.handle(new ProgramTask("{}"))));
        worker.start();
        await().until(() -> processes(sleep) == 3 && Files.exists(folder.resolve("up")));

        worker.interrupt();
        worker.join();

        assertThat(thrown[0]).isInstanceOf(InterruptedException.class);
        await().atMost(Duration.ofSeconds(5)).until(() -> processes(sleep) == 0);
    }

    @Test
    void whatAProgramLeavesBehindIsKilled() throws Exception {
        String sleep = "sleep " + (100_000 + ThreadLocalRandom.current().nextInt(900_000));
        command.script("#!/bin/sh\n" + sleep + " &\n(setsid " + sleep + " &)\necho done\n");
        ProgramTask task = new ProgramTask("{}");

        assertThat(command.handler().handle(task)).isEqualTo(Result.done());
        assertThat(task.result()).isEqualTo("done");
        await().atMost(Duration.ofSeconds(5)).until(() -> processes(sleep) == 0);
    }

    /** One in another session, with a clean environment, that keeps stdin open and never reads it. */
    @Test
    void aChildThatEscapesWithStdinKeepsNoHandler() throws Exception {
        String sleep = "sleep " + (100_000 + ThreadLocalRandom.current().nextInt(900_000));
        Path up = folder.resolve("up");
        command.script("#!/bin/sh\nexec 3<&0\nenv -i setsid sh -c 'touch " + up + "; exec " + sleep
                        + "' <&3 >/dev/null 2>&1 &\nuntil [ -e " + up + " ]; do sleep 0.02; done\n")
                .set("stdin", "payload")
                .openTo(folder);
        ProgramHandler handler = command.handler();
        FutureTask<Result> call = new FutureTask<>(() -> handler.handle(new ProgramTask("x".repeat(1_000_000))));
        Thread worker = new Thread(call);
        worker.setDaemon(true);
        worker.start();
        try {
            assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(Result.done());
            // It may not have become the other program yet.
            await("the one that has escaped").until(() -> processes(sleep) == 1);
        } finally {
            ProcessHandle.allProcesses()
                    .filter(each -> sleep.equals(TestProgram.commandLine(each.pid())))
                    .forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void ofAProgramThatLeavesNothingBehindAllProcessesAreLookedAtOnce() throws Exception {
        command.script("#!/bin/sh\necho done\n");
        ProgramHandler handler = command.handler();

        handler.handle(new ProgramTask("{}"));

        assertThat(handler.processes().looks()).isEqualTo(1);
    }

    /** What the locale has no bytes for, Java would replace by question marks. */
    @Test
    void aServerWhoseLocaleHasNotAllCharactersRunsNoPrograms() throws Exception {
        command.script(SHOW).set("args[0]", "{/from}");
        ProgramTask task = new ProgramTask("{\"from\": \"Müller–x \ud83d\ude00\"}");

        command.handler(StandardCharsets.UTF_8).handle(task);
        assertThat(task.result()).isEqualTo("[Müller–x \ud83d\ude00]");
        assertThatThrownBy(() -> command.handler(StandardCharsets.US_ASCII))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("tandem.commands.c.program is ")
                .hasMessageContaining("which is US-ASCII")
                .hasMessageContaining("start the server with LC_ALL=C.UTF-8");
    }

    @Test
    void memoryIsLimited() throws Exception {
        command.set("program", "/usr/bin/dd")
                .set("args[0]", "if=/dev/zero")
                .set("args[1]", "of=/dev/null")
                .set("args[2]", "bs=200M")
                .set("args[3]", "count=1");
        assertThat(command.handler().handle(new ProgramTask("{}"))).isEqualTo(Result.done());

        command.set("memory", "64MB");
        assertThatThrownBy(() -> command.handler().handle(new ProgramTask("{}")))
                .hasMessageContaining("memory");
    }

    @Test
    void theProgramIsTheUserThatTheSettingsNameAndCanBecomeNobodyElse() throws Exception {
        command.script("#!/bin/sh\nid -u; id -G; grep NoNewPrivs /proc/self/status | tr -dc '01'\n");
        ProgramTask task = new ProgramTask("{}");

        command.handler().handle(task);

        String user = TestProgram.isRoot() ? "65534" : Long.toString(TestProgram.self());
        assertThat(task.result().lines().findFirst()).contains(user);
        assertThat(task.result()).endsWith("1");
    }

    @Test
    void aProgramThatIsNoMoreFailsTheAttempt() throws Exception {
        command.script(SHOW);
        ProgramHandler handler = command.handler();
        Files.delete(folder.resolve("program"));

        assertThatThrownBy(() -> handler.handle(new ProgramTask("{}"))).hasMessageStartingWith("exit code 127");
    }

    @Test
    void valuesOfVariablesAreNotShown() {
        CommandSettings settings = command.set("program", "/usr/bin/dd")
                .set("environment.PASSWORD", "secret")
                .settings();

        assertThat(settings.environment()).isEqualTo(Map.of("PASSWORD", "secret"));
        assertThat(settings.toString()).doesNotContain("secret");
    }

    private static long processes(String commandLine) {
        return ProcessHandle.allProcesses()
                .filter(each -> commandLine.equals(TestProgram.commandLine(each.pid())))
                .count();
    }
}
