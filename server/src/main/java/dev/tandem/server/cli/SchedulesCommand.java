package dev.tandem.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows the schedules of all programs, and pauses, resumes and fires them; creates and restores others. */
@Command(
        name = "schedules",
        mixinStandardHelpOptions = true,
        description = {"Shows schedules with their next firings; creates, changes, restores, pauses and fires them.", ""
        })
final class SchedulesCommand extends CommandGroup {

    private static final String SCHEDULES = "schedules";

    SchedulesCommand() {
        super("list, show, create, change, delete, restore, pause, resume, fire or forget?");
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows the schedules of all programs, with the next five firings of each.", ""})
    void list(@Mixin ServerOptions server) {
        server.print(server.api().get(ApiClient.path(SCHEDULES)), ScheduleRows::list);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {"Shows one schedule, and when it fires next in its own time zone.", ""})
    void show(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        server.print(server.api().get(ApiClient.path(SCHEDULES, schedule)), ScheduleRows::one);
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {"Creates a schedule that all programs with its queue fire, and shows its next firings.", ""})
    void create(
            @Mixin ServerOptions server,
            @Mixin ScheduleOptions options,
            @Parameters(paramLabel = "SCHEDULE") String schedule) {
        define(server, options, schedule, "create");
    }

    @Command(
            name = "change",
            mixinStandardHelpOptions = true,
            description = {"Changes what is given of a schedule that was created, and shows its next firings.", ""})
    void change(
            @Mixin ServerOptions server,
            @Mixin ScheduleOptions options,
            @Parameters(paramLabel = "SCHEDULE") String schedule) {
        define(server, options, schedule, "change");
    }

    private static void define(ServerOptions server, ScheduleOptions options, String schedule, String action) {
        ApiClient api = server.api();
        ObjectNode body = options.body();
        JsonNode defined = api.post(ApiClient.path(SCHEDULES, schedule, action), body);
        server.print(defined, ScheduleRows::one);
        if (body.has("type")) {
            UnknownTypeWarning.warn(
                    server,
                    api,
                    defined.path("queue").asString(""),
                    body.path("type").asString(""));
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {"Deletes a schedule that was created. Tasks that are submitted already run.", ""})
    void delete(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        server.print(
                server.api().delete(ApiClient.path(SCHEDULES, schedule)),
                (answer, out) -> out.println("The schedule " + schedule
                        + " is deleted. For ten minutes, ./tandem schedules restore " + schedule + " brings it back"));
    }

    @Command(
            name = "restore",
            mixinStandardHelpOptions = true,
            description = {
                "Brings a schedule back as it was that was deleted in the last ten minutes, and shows its next firings.",
                ""
            })
    void restore(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        server.print(server.api().post(ApiClient.path(SCHEDULES, schedule, "restore")), ScheduleRows::one);
    }

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            description = {"Fires a schedule no more. Tasks that are submitted already run.", ""})
    void pause(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        post(server, schedule, "pause", "The schedule " + schedule + " is paused");
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            description = {"Lets a paused schedule go on. What it would have fired meanwhile is not fired.", ""})
    void resume(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        post(server, schedule, "resume", "The schedule " + schedule + " goes on");
    }

    @Command(
            name = "fire",
            mixinStandardHelpOptions = true,
            description = {"Submits the task of a schedule now, besides its own firings. Also if it is paused.", ""})
    void fire(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        post(server, schedule, "fire", "The schedule " + schedule + " fires now, by a program that has it");
    }

    @Command(
            name = "forget",
            mixinStandardHelpOptions = true,
            description = {"Forgets a schedule that no program has any more.", ""})
    void forget(@Mixin ServerOptions server, @Parameters(paramLabel = "SCHEDULE") String schedule) {
        server.print(
                server.api().delete(ApiClient.path(SCHEDULES, schedule)),
                (answer, out) -> out.println("The schedule " + schedule + " is forgotten"));
    }

    private static void post(ServerOptions server, String schedule, String action, String done) {
        server.print(
                server.api().post(ApiClient.path(SCHEDULES, schedule, action)), (answer, out) -> out.println(done));
    }
}
