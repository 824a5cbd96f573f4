package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.Operation.Action;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Begins, shows and stops operations on many tasks. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class OperationsController {

    private static final int MAX_SHOWN = 60;
    private static final int MAX_BYTES = 1_024;

    private final ConfiguredQueues queues;
    private final OperationAdministration operations;
    private final InstantSource clock;

    OperationsController(ConfiguredQueues queues, OperationAdministration operations, InstantSource clock) {
        this.queues = queues;
        this.operations = operations;
        this.clock = clock;
    }

    @GetMapping("/operations")
    OperationViews.Operations all() {
        return new OperationViews.Operations(
                operations.all().stream().map(OperationViews::view).toList());
    }

    @GetMapping("/queues/{queue}/operations")
    OperationViews.Operations ofQueue(@PathVariable String queue) {
        queues.get(queue);
        return new OperationViews.Operations(operations.all().stream()
                .filter(each -> each.queue().equals(queue))
                .map(OperationViews::view)
                .toList());
    }

    @GetMapping("/queues/{queue}/operations/{operation}")
    OperationViews.View one(@PathVariable String queue, @PathVariable String operation) {
        queues.get(queue);
        return OperationViews.view(find(queue, operation));
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/operations")
    @ResponseStatus(HttpStatus.ACCEPTED)
    OperationViews.View begin(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String action,
            @RequestParam(name = "operation", required = false) @Nullable String operation,
            @RequestParam(name = "dry-run", defaultValue = "false") boolean dryRun,
            @RequestParam(required = false) @Nullable List<String> state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String error,
            @RequestParam(name = "due-after", required = false) @Nullable String dueAfter,
            @RequestParam(name = "due-before", required = false) @Nullable String dueBefore,
            @RequestParam(name = "died-after", required = false) @Nullable String diedAfter,
            @RequestParam(name = "died-before", required = false) @Nullable String diedBefore,
            @RequestParam(name = "published-after", required = false) @Nullable String publishedAfter,
            @RequestParam(name = "published-before", required = false) @Nullable String publishedBefore,
            @RequestParam(defaultValue = "false") boolean halting,
            @RequestParam(required = false) @Nullable String at,
            @RequestParam(required = false) @Nullable String delay) {
        QueueSettings settings = queues.get(queue);
        Action what = action(action);
        TaskSelection selection = new TaskSelection(
                states(what, state),
                partition(queue, partition),
                bounded("key", key),
                bounded("type", type),
                type != null && type.equals(settings.handler()),
                bounded("id", id),
                bounded("error", error),
                dueAfter,
                dueBefore,
                diedAfter,
                diedBefore,
                publishedAfter,
                publishedBefore,
                halting(what, halting));
        return begin(new Operation(queue, operationId(operation), what, selection, dryRun, due(what, at, delay)));
    }

    private OperationViews.View begin(Operation operation) {
        try {
            operation.chooser(clock.millis(), 0);
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_PARAMETER.refusal(
                    String.valueOf(e.getMessage()), "Correct the time, or leave it out");
        }
        return switch (operations.begin(operation)) {
            case BEGUN, KNOWN -> OperationViews.view(find(operation.queue(), operation.id()));
            case DIFFERS ->
                throw ProblemType.ALREADY_EXISTS.refusal(
                        "The queue has another operation '" + operation.id() + "' already",
                        "Choose another id, or leave it out");
            case NO_ROOM ->
                throw ProblemType.TOO_MANY.refusal(
                        "Too many operations have not ended yet",
                        "Wait until some have ended, or stop some: ./tandem operations");
        };
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/operations/{operation}/stop")
    @ResponseStatus(HttpStatus.ACCEPTED)
    OperationViews.View stop(@PathVariable String queue, @PathVariable String operation) {
        queues.get(queue);
        return switch (operations.stop(queue, operation)) {
            case STOPPING -> OperationViews.view(find(queue, operation));
            case ENDED ->
                throw ProblemType.ALREADY_ENDED.refusal(
                        "The operation '" + shown(operation) + "' has ended already", "Nothing needs to be done");
            case UNKNOWN -> throw notFound(operation);
        };
    }

    private OperationInfo find(String queue, String id) {
        return operations.find(queue, id).orElseThrow(() -> notFound(id));
    }

    private static ApiException notFound(String id) {
        return ProblemType.UNKNOWN_OPERATION.refusal(
                "The queue has no operation '" + shown(id) + "'",
                "./tandem operations shows those of the last days. They are kept for a week, and at most 200 of them");
    }

    private static Action action(@Nullable String text) {
        for (Action action : Action.values()) {
            if (action.word().equals(text)) {
                return action;
            }
        }
        throw ApiException.parameter(
                "action",
                text == null
                        ? "The parameter action is missing"
                        : "The parameter action is '" + shown(text) + "', which is none",
                "Use one of " + Arrays.stream(Action.values()).map(Action::word).collect(Collectors.joining(", ")));
    }

    private static List<TaskState> states(Action action, @Nullable List<String> given) {
        if (given == null || given.isEmpty()) {
            return action.usual();
        }
        List<TaskState> states = new ArrayList<>();
        for (TaskState state : action.allowed()) {
            if (given.stream().anyMatch(each -> each.toLowerCase(Locale.ROOT).equals(Views.lower(state)))) {
                states.add(state);
            }
        }
        for (String each : given) {
            if (states.stream().noneMatch(state -> Views.lower(state).equals(each.toLowerCase(Locale.ROOT)))) {
                throw ApiException.parameter(
                        "state",
                        "The parameter state is '" + shown(each) + "', but " + action.word() + " takes no such tasks",
                        "Use " + action.allowed().stream().map(Views::lower).collect(Collectors.joining(", "))
                                + ", or leave it out");
            }
        }
        return states;
    }

    private static @Nullable String partition(String queue, @Nullable String name) {
        if (name != null && !Partition.isName(name)) {
            throw ApiException.parameter(
                    "partition",
                    "The parameter partition is not the name of a partition",
                    "Use one that GET /api/v1/queues/" + queue + " lists, or leave it out for all");
        }
        return name;
    }

    private static @Nullable String bounded(String name, @Nullable String text) {
        if (text != null && (text.isEmpty() || text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES)) {
            throw ApiException.parameter(
                    name,
                    "The parameter " + name + " is "
                            + (text.isEmpty() ? "empty" : "longer than " + MAX_BYTES + " bytes"),
                    text.isEmpty() ? "Leave it out for any " + name : "Use a shorter one");
        }
        return text;
    }

    private static boolean halting(Action action, boolean halting) {
        if (halting && action != Action.DELETE) {
            throw ApiException.parameter(
                    "halting",
                    "The parameter halting is for action=delete, and the action is " + action.word(),
                    "Leave it out");
        }
        return halting;
    }

    private static String operationId(@Nullable String given) {
        if (given != null && !given.matches("[A-Za-z0-9._-]{1,64}")) {
            throw ApiException.parameter(
                    "operation",
                    "The parameter operation is '" + shown(given) + "', which is no id of an operation",
                    "Use 1 to 64 letters, digits, dots, dashes and underscores, or leave it out");
        }
        return given == null ? UUID.randomUUID().toString() : given;
    }

    /** Returns when tasks are due that are rescheduled, in the words of an operation. */
    private static @Nullable String due(Action action, @Nullable String at, @Nullable String delay) {
        if (action != Action.RESCHEDULE) {
            if (at != null || delay != null) {
                throw ApiException.parameter(
                        "at",
                        "The parameters at and delay are for action=reschedule, and the action is " + action.word(),
                        "Leave them out");
            }
            return null;
        } else if ((at == null) == (delay == null)) {
            throw ApiException.parameter("delay", "There must be one of at and delay", "Use delay=0 for now");
        }
        GivenDelay.refuseNegative(delay);
        return at != null ? at : "+" + delay;
    }

    private static String shown(String text) {
        return LogText.oneLine(text, MAX_SHOWN);
    }
}
